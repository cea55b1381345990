"""One game and one pair: the referee, and the bot processes that it keeps."""
