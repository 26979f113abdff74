"""The programs of the pages: they hold the state, call the Training API and let the views draw."""
