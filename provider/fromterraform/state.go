package fromterraform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// largest is more than the state of any site: what is larger is something else.
const largest = 256 << 20

// Resource is one instance of a resource, or of a data source, in a state.
type Resource struct {
	Address  string // as Terraform shows it, like module.etcd["a"].libvirt_domain.etcd
	Type     string
	Data     bool   // a data source
	Module   string // of its address, or ""
	Provider string // the configuration that it belongs to, as the state names it, or ""
	Tainted  bool
	File     string // the name of its state, if there are several
	State    string // which one it is in: its lineage, or what stands for that
	Shown    bool   // by terraform show -json, which does not tell configurations of a provider apart
	Values   values
}

// Read reads a state: that of a backend, in version 4, or what `terraform show -json`
// prints. Its errors show nothing of what is in there.
func Read(from io.Reader) ([]Resource, error) {
	text, err := io.ReadAll(io.LimitReader(from, largest+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > largest:
		return nil, errors.New("is larger than 256 MiB, which no state is")
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("is empty")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, errors.New("has a byte order mark and is in UTF-16, as PowerShell's > writes: `terraform state pull | Out-File -Encoding utf8 state.json`")
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var is struct {
		Version       json.RawMessage `json:"version"`
		FormatVersion *string         `json:"format_version"`
		Backend       json.RawMessage `json:"backend"`
		Encrypted     json.RawMessage `json:"encrypted_data"`
		Sops          json.RawMessage `json:"sops"`
	}
	if err := decode(text, &is); err != nil {
		return nil, err
	}
	switch version := string(is.Version); {
	case is.Encrypted != nil:
		return nil, errors.New("is encrypted by OpenTofu: have it written in the clear, by `tofu state pull`")
	case is.Sops != nil:
		return nil, errors.New("is encrypted by sops: decrypt it first")
	case is.FormatVersion != nil:
		return readShown(text)
	case is.Backend != nil:
		return nil, errors.New("is what Terraform keeps in .terraform of its backend, not the state: that comes from `terraform state pull`")
	case is.Version == nil:
		return nil, errors.New("is not a state of Terraform: it has neither a version nor a format_version")
	case version == "1" || version == "2" || version == "3":
		return nil, fmt.Errorf("is a state of version %s, which Terraform 0.11 or earlier wrote: 0.12 to 1.x write version 4, at the next apply", version)
	case version != "4":
		return nil, errors.New("is a state of another version than 4, which is what Terraform 0.12 and later and OpenTofu write")
	}
	return readState(text)
}

// decode is without the text that JSON's own errors show.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(into)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		return fmt.Errorf("is not a state of Terraform: what is at byte %d is of another type", mismatch.Offset)
	case err != nil:
		return fmt.Errorf("is not a state of Terraform: not JSON, from byte %d on", d.InputOffset())
	case len(bytes.TrimSpace(text[d.InputOffset():])) > 0:
		return fmt.Errorf("is not a state of Terraform: more follows at byte %d", d.InputOffset())
	}
	return nil
}

func readState(text []byte) ([]Resource, error) {
	var state struct {
		Lineage   string
		Resources []struct {
			Module, Mode, Type, Name, Provider string
			Instances                          []struct {
				Index      any    `json:"index_key"`
				Deposed    string `json:"deposed"`
				Status     string `json:"status"`
				Attributes values `json:"attributes"`
			}
		}
	}
	if err := decode(text, &state); err != nil {
		return nil, err
	}
	var all []Resource
	for _, r := range state.Resources {
		for _, instance := range r.Instances {
			name := r.Type + "." + r.Name + index(instance.Index)
			if r.Mode == "data" {
				name = "data." + name
			}
			if instance.Deposed != "" { // replaced already, only not deleted yet
				continue
			}
			all = append(all, Resource{
				Address: strings.TrimPrefix(r.Module+"."+name, "."), Type: r.Type, Data: r.Mode == "data", Module: r.Module,
				Provider: r.Provider, Tainted: instance.Status == "tainted", Values: instance.Attributes,
			})
		}
	}
	return sorted(all, state.Lineage)
}

// index is the key of an instance, of count or for_each.
func index(key any) string {
	switch key := key.(type) {
	case nil:
		return ""
	case string:
		return "[" + strconv.Quote(key) + "]"
	default:
		return fmt.Sprintf("[%v]", key)
	}
}

// shown is a module in what `terraform show -json` prints.
type shown struct {
	Address   string
	Resources []struct {
		Address, Mode, Type string
		Provider            string `json:"provider_name"`
		Deposed             string `json:"deposed_key"`
		Tainted             bool
		Values              values
	}
	Children []shown `json:"child_modules"`
}

func readShown(text []byte) ([]Resource, error) {
	var state struct {
		Planned json.RawMessage `json:"planned_values"`
		Values  struct {
			Root shown `json:"root_module"`
		}
	}
	if err := decode(text, &state); err != nil {
		return nil, err
	}
	if state.Planned != nil {
		return nil, errors.New("is a plan, not a state: use `terraform show -json` without a file")
	}
	var all []Resource
	var add func(shown)
	add = func(m shown) {
		for _, r := range m.Resources {
			if r.Deposed == "" {
				all = append(all, Resource{Address: r.Address, Type: r.Type, Data: r.Mode == "data", Module: m.Address, Provider: r.Provider, Tainted: r.Tainted, Values: r.Values})
			}
		}
		for _, child := range m.Children {
			add(child)
		}
	}
	add(state.Values.Root)
	for i := range all {
		all[i].Shown = true
	}
	if all, err := sorted(all, ""); err != nil || !hypervisorsMixed(all) {
		return all, err
	}
	return nil, errors.New("has resources of several hypervisors with the same id, and as `terraform show -json` prints it, it does not say of which: use `terraform state pull`")
}

// hypervisorsMixed says whether two resources of libvirt have one id: these are of two
// hypervisors.
func hypervisorsMixed(all []Resource) bool {
	seen := map[string]bool{}
	for _, r := range all {
		id := r.Type + " " + r.Values.text("id")
		if r.Data || !strings.HasPrefix(r.Type, "libvirt_") || r.Values.text("id") == "" {
			continue
		}
		if seen[id] {
			return true
		}
		seen[id] = true
	}
	return false
}

// sorted are in an order that does not depend on that of the state.
func sorted(all []Resource, lineage string) ([]Resource, error) {
	if len(all) == 0 {
		return nil, errors.New("is a state without resources")
	}
	slices.SortStableFunc(all, func(a, b Resource) int { return natural(a.Address, b.Address) })
	if lineage == "" {
		lineage = identity(all)
	}
	for i := range all {
		all[i].State = lineage
	}
	return all, nil
}

// identity stands for the lineage of a state, where there is none: the ids of its machines.
func identity(all []Resource) string {
	sum := sha256.New()
	for _, r := range all {
		if !r.Data && (r.Type == "libvirt_domain" || r.Type == "openstack_compute_instance_v2") {
			fmt.Fprintln(sum, r.Address, r.Values.text("id"))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
