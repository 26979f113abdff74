"""Lists of files that are no manifests of ours: each module reads one kind into `Listed` entries."""
