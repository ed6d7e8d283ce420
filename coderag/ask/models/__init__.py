"""Language models behind HTTP: how they are named, asked, and held to the sources."""
