"""Kubernetes manifests of kind Secret to the values in them."""
