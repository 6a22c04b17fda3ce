# Everything that a contributor or a first-time user runs. Each target installs
# what it needs.
SHELL := /bin/bash

.PHONY: demo test

test: ## all tests that need neither root nor virtual machines
	go test ./provider/...
	python3 -m unittest discover -q -s provider/state/apply
	python3 -m unittest discover -q -s provider/roles/host/mirror
