"""The public interface: an index that is opened, questioned and kept up to date."""
