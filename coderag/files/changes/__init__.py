"""A change of a repository, told by git or by a patch, to the files that it touches and their lines."""
