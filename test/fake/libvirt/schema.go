package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:generate ./schema/generate
//go:embed schema/*.json
var schemas embed.FS

// packageSchema is what we need to know of a package's schema.
type packageSchema struct {
	Name      string                    `json:"name"`
	Version   string                    `json:"version"`
	Resources map[string]resourceSchema `json:"resources"`
	Types     map[string]resourceSchema `json:"types"`

	text string
}

type resourceSchema struct {
	Properties      map[string]propertySchema `json:"properties"`
	InputProperties map[string]propertySchema `json:"inputProperties"`
	RequiredInputs  []string                  `json:"requiredInputs"`
}

type propertySchema struct {
	Ref      string          `json:"$ref"`
	Items    *propertySchema `json:"items"`
	Secret   bool            `json:"secret"`
	Replaces bool            `json:"willReplaceOnChanges"`
}

func loadSchema(name string) (*packageSchema, error) {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("cannot pose as %q, only as pulumi-resource-libvirt or pulumi-resource-tls", name)
	}
	s := &packageSchema{text: string(text)}
	return s, json.Unmarshal(text, s)
}

// replaces tells whether a change of an input makes the plugin replace the
// resource. The schema knows it of libvirt, whose nested fields count for the
// whole; the tls provider keeps it in code.
func (s *packageSchema) replaces(typ, key string) bool {
	if s.Name == "tls" {
		return key != "earlyRenewalHours"
	}
	return s.anyReplaces(s.Resources[typ].InputProperties[key])
}

func (s *packageSchema) anyReplaces(property propertySchema) bool {
	if property.Replaces {
		return true
	}
	if property.Items != nil {
		return s.anyReplaces(*property.Items)
	}
	for _, nested := range s.Types[strings.TrimPrefix(property.Ref, "#/types/")].Properties {
		if s.anyReplaces(nested) {
			return true
		}
	}
	return false
}

// problems returns what is wrong with the inputs of a resource, by key.
func (s *packageSchema) problems(typ string, inputs props) map[string]string {
	resource := s.Resources[typ]
	problems := map[string]string{}
	for _, key := range resource.RequiredInputs {
		if !inputs.has(key) {
			problems[key] = "missing required property"
		}
	}
	for _, key := range sorted(inputs) {
		if _, ok := resource.InputProperties[key]; !ok && !strings.HasPrefix(key, "__") {
			problems[key] = "unknown property"
		}
	}
	return problems
}

// shortName is Domain for libvirt:index/domain:Domain.
func shortName(typ string) string {
	return typ[strings.LastIndex(typ, ":")+1:]
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
