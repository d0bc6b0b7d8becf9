"""The server and its page: play, learn and research in the browser. The rooms below do the work."""
