# Everything that a contributor or a first-time user runs. Each target installs
# what it needs.
SHELL := /bin/bash
QUORUM_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/quorum
export PATH := $(QUORUM_CACHE)/go/bin:$(PATH)

SDKGEN_FLAGS = -version "$$(<provider/VERSION)" -logo docs/logo.png -beside sdk/README.md,LICENSE

.PHONY: bench build demo demo-down e2e e2e-changes e2e-containers e2e-day2-vms e2e-openstack e2e-openstack-vms e2e-platform-vms e2e-vms e2e-vms-changes generate lint sdk test

demo: ## an etcd cluster of three virtual machines, in a sandbox or on LIBVIRT_URI
	tools/setup demo
	test/demo/demo up

demo-down: ## takes it down
	test/demo/demo down

test: sdk ## all tests that need neither root nor virtual machines
	tools/setup test
	tools/build >/dev/null
	tools/build coredns >/dev/null
	go test -timeout 30m ./...
	python3 -m unittest discover -q -s provider/state/apply
	python3 -m unittest discover -q -s provider/roles/host/mirror
	python3 -m unittest discover -q -s provider/roles/coredns/zone
	python3 -m unittest discover -q -s provider/roles/patroni/program
	python3 -m unittest discover -q -s provider/roles/etcd/join

e2e: e2e-containers e2e-vms ## real clusters; needs root

e2e-containers: ## on nspawn machines, for breadth: access, settings, changes of clusters, passwords, software, the platform
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	tools/build coredns >/dev/null
	go test -tags e2e -timeout 50m -skip 'TestDay2|TestOpenStack' -v ./test/e2e

e2e-changes: ## an etcd cluster on nspawn machines goes through its days while a client writes
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	go test -tags e2e -timeout 60m -run TestEtcdChange -v ./test/e2e

e2e-openstack: ## a cluster on instances of a made-up OpenStack, which boot from its config drive
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	go test -tags e2e -timeout 40m -run TestOpenStack -v ./test/e2e

e2e-openstack-vms: ## the same on virtual machines, which have the drive as one
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	QUORUM_MACHINES=virtual go test -tags e2e -timeout 60m -run TestOpenStack -v ./test/e2e

e2e-vms: ## on virtual machines, where disks, boot, the drive and the libvirt plugin matter
	tools/setup demo
	test/e2e/vms

e2e-vms-changes: ## the same, and all machines made anew while a client writes
	tools/setup demo
	CHANGES=yes test/e2e/vms

e2e-platform-vms: ## the platform on virtual machines, for its watchdogs and disks
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	tools/build coredns >/dev/null
	QUORUM_MACHINES=virtual go test -tags e2e -timeout 60m -run TestPlatform -v ./test/e2e

e2e-day2-vms: ## settings, certificates and authorities of the platform change on virtual machines while clients write
	tools/setup e2e
	test/sandbox/sandbox install
	tools/build >/dev/null
	tools/build coredns >/dev/null
	QUORUM_MACHINES=virtual go test -tags e2e -timeout 90m -run TestDay2 -v ./test/e2e

bench: ## measures; writes docs/benchmarks.md; needs root
	tools/setup demo
	tools/build >/dev/null
	go test -tags bench -timeout 60m -v ./test/bench

build: ## the provider
	go build -o bin/pulumi-resource-quorum ./provider/cmd/pulumi-resource-quorum

generate: ## schema.json, its examples, the tables in docs/ and sdk/ from it
	go test ./provider -run TestSchema -update # what examples are converted by
	"$$(tools/build sdkgen)/sdkgen" $(SDKGEN_FLAGS) -examples provider/examples schema.json
	go test ./provider -run 'TestSchema|TestDocs' -update
	"$$(tools/build sdkgen)/sdkgen" $(SDKGEN_FLAGS) schema.json sdk go nodejs python

sdk: ## builds the SDKs of all languages and checks them, with the examples in their languages
	tools/setup sdk
	"$$(tools/build sdkgen)/sdkgen" $(SDKGEN_FLAGS) schema.json sdk go nodejs python dotnet java
	tools/sdk

lint: ## formatting, dependencies, shell
	tools/setup lint
	shellcheck -x -P SCRIPTDIR test/demo/demo test/e2e/vms test/bench/boot tools/build tools/sdk tools/setup test/sandbox/sandbox provider/roles/coredns/check-corefile provider/roles/etcd/etcd-auth provider/roles/haproxy/haproxy-container
	GOLANGCI_LINT_CACHE="$(CURDIR)/bin/lint-cache" "$$(tools/build lint)/golangci-lint" run ./... # it remembers paths
