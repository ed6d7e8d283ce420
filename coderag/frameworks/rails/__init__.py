"""Rails: the tables that it declares, and the calls that use them."""
