"""Small trees with every step recorded."""
