# Everything that a contributor or a first-time user runs. Each target installs
# what it needs.
SHELL := /bin/bash

.PHONY: build demo demo-down e2e e2e-containers generate lint test

demo: ## an etcd cluster of three virtual machines, in a sandbox or on LIBVIRT_URI
	tools/setup demo
	test/demo/demo up

demo-down: ## takes it down
	test/demo/demo down

test: ## all tests that need neither root nor virtual machines
	tools/setup test
	tools/build >/dev/null
	go test ./...
	python3 -m unittest discover -q -s provider/state/apply
	python3 -m unittest discover -q -s provider/roles/host/mirror

e2e: ## real clusters on virtual machines and containers; needs root
	tools/setup demo
	test/sandbox/sandbox install
	test/e2e/vms

e2e-containers: ## the same engine on nspawn machines, for breadth; needs root
	tools/setup demo
	test/sandbox/sandbox install
	tools/build >/dev/null
	go test -tags e2e -timeout 20m ./test/e2e

build: ## the provider
	go build -o bin/pulumi-resource-quorum ./provider/cmd/pulumi-resource-quorum

generate: ## schema.json
	go test ./provider -run TestSchema -update

lint: ## formatting, dependencies, shell
	tools/setup lint
	shellcheck -x -P SCRIPTDIR test/demo/demo test/e2e/vms tools/build tools/setup test/sandbox/sandbox provider/roles/etcd/etcd-auth
	"$$(tools/build lint)/golangci-lint" run ./...
