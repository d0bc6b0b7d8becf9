"""Running many tasks: here, on threads, in processes of this machine or on a Ray cluster."""
