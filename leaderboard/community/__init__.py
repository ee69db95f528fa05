"""What is said in public: announcements, and the forum (게시판)."""
