package guard

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// Text is what a property of a state has, if it is text, or "".
func Text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

// Texts are those that a property of a state has.
func Texts(v property.Value) (all []string) {
	if v.IsArray() {
		for _, each := range v.AsArray().All {
			all = append(all, Text(each))
		}
	}
	return all
}
