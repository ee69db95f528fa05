"""What is said in public: announcements now, the forum later."""
