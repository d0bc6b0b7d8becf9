"""The page in a real Chromium: what a visitor sees and does. Skipped, with a word why, where there is none."""
