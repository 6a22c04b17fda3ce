package openstack

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// packed is user data as Nova is given it.
func packed(text pulumi.StringOutput) pulumi.StringOutput {
	return fault.Try(text, func(text string) (string, error) {
		all, err := Pack(text)
		if err == nil && tooLarge(all) != "" {
			err = errors.New("openstack: " + tooLarge(all))
		}
		return all, err
	}).(pulumi.StringOutput)
}

// Pack compresses user data, which cloud-init notices.
func Pack(text string) (string, error) {
	archived, err := cloudinit.Archive(text, guest.ArchivePath, guest.Archived)
	if err != nil {
		return "", err
	}
	all, err := cloudinit.Pack(archived)
	if err != nil {
		return "", fmt.Errorf("compress user data: %w", err)
	}
	return all, nil
}

// tooLarge is why Nova would not take packed user data.
func tooLarge(packed string) string {
	if len(packed) <= MostUserData {
		return ""
	}
	return fmt.Sprintf("accepts at most %d bytes of user data, compressed and in base64; that of this machine has %d", MostUserData, len(packed))
}
