package inputs

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// exact is the largest whole number that JSON and float64 carry unharmed.
const exact = 1 << 53

// scalar makes a value the type that the schema wants, or says why it cannot.
//
// YAML programs write 3.5 for "3.5", and their configuration gives "2" for 2:
// one is taken for the other where nothing is lost.
func scalar(want string, v property.Value, secret bool) (property.Value, string) {
	names := map[string]string{
		"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	}
	no := func() (property.Value, string) {
		switch {
		case !v.IsString() && !v.IsNumber() && !v.IsBool():
			return v, "must be " + names[want] + ", not " + kind(v)
		case secret:
			return v, "must be " + names[want]
		case v.IsString():
			return v, "must be " + names[want] + ", not " + check.Quote(v.AsString()) + check.InBytes(v.AsString())
		}
		return v, "must be " + names[want] + ", not " + text(v)
	}
	switch {
	case v.IsString() && !utf8.ValidString(v.AsString()):
		return v, "must be text in UTF-8"
	case want == "string" && (v.IsString() || v.IsNumber() || v.IsBool()):
		return property.New(text(v)), ""
	case want == "boolean" && v.IsBool():
		return bare(v), ""
	case want == "boolean" && v.IsString() && (v.AsString() == "true" || v.AsString() == "false"):
		return property.New(v.AsString() == "true"), ""
	case want != "integer" && want != "number":
		return no()
	}
	number := math.NaN()
	switch {
	case v.IsNumber():
		number = v.AsNumber()
	case v.IsString():
		// "010" and "1e3" are more likely meant as something else.
		if f, err := strconv.ParseFloat(v.AsString(), 64); err == nil && text(property.New(f)) == v.AsString() {
			number = f
		}
	}
	if math.IsNaN(number) || math.IsInf(number, 0) ||
		want == "integer" && (number != math.Trunc(number) || math.Abs(number) > exact) {
		return no()
	}
	return property.New(number), ""
}

// text is a scalar as a user would write it.
func text(v property.Value) string {
	switch {
	case v.IsString():
		return v.AsString()
	case v.IsNumber():
		return strconv.FormatFloat(v.AsNumber(), 'f', -1, 64)
	case v.IsBool():
		return strconv.FormatBool(v.AsBool())
	}
	return ""
}

func kind(v property.Value) string {
	switch {
	case v.IsString():
		return "a string"
	case v.IsNumber():
		return "a number"
	case v.IsBool():
		return "true or false"
	case v.IsArray():
		return "a list"
	case v.IsMap():
		return "an object"
	case v.IsNull():
		return "null"
	case v.IsResourceReference():
		return "a resource"
	}
	return "a file"
}

// bare is a value without secrets and dependencies anywhere in it.
func bare(v property.Value) property.Value {
	switch {
	case v.IsArray():
		list := []property.Value{}
		for _, e := range v.AsArray().All {
			list = append(list, bare(e))
		}
		return property.New(list)
	case v.IsMap():
		object := map[string]property.Value{}
		for k, e := range v.AsMap().All {
			object[k] = bare(e)
		}
		return property.New(object)
	}
	return v.WithSecret(false).WithDependencies(nil)
}
