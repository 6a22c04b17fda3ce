package main

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// diskLabels reads the labels of the data volumes from the user data: a domain
// knows its disks only by path.
func diskLabels(userData string) ([]string, error) {
	state, err := hypervisor.State(userData)
	if state == nil {
		return nil, err
	}
	var wanted struct {
		Volumes []struct {
			Label string `json:"label"`
		} `json:"volumes"`
	}
	if err := json.Unmarshal(state, &wanted); err != nil {
		return nil, fmt.Errorf("the state in user data: %w", err)
	}
	var labels []string
	for _, volume := range wanted.Volumes {
		labels = append(labels, volume.Label)
	}
	return labels, nil
}
