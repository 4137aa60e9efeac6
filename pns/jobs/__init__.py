"""What a master and its workers say and know, without a transport."""
