"""The protocols that come with Leadline, one room each, written in `leadline.symbolic.lang` alone."""
