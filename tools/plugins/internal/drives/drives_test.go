package drives

import (
	"context"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	urn  = "urn:pulumi:dev::p::quorum:index:EtcdServer$" + drive + "::one-cloud-init"
	text = "#cloud-config\nhostname: one\n"
)

// recorder is a plugin that gives back what it is asked with, and notes that.
type recorder struct {
	pulumirpc.UnimplementedResourceProviderServer
	asked []*structpb.Struct
	there string // what a drive has
}

func (r *recorder) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.News}, nil
}

func (r *recorder) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	r.asked = []*structpb.Struct{req.Olds, req.OldInputs, req.News}
	return &pulumirpc.DiffResponse{}, nil
}

func (r *recorder) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	r.asked = []*structpb.Struct{req.Properties}
	return &pulumirpc.CreateResponse{Properties: req.Properties}, nil
}

func (r *recorder) Read(context.Context, *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{Properties: with(r.there), Inputs: with(r.there)}, nil
}

func with(userData string) *structpb.Struct {
	secret := map[string]any{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": userData}
	properties, err := structpb.NewStruct(map[string]any{"name": "one.iso", "userData": secret})
	if err != nil {
		panic(err)
	}
	return properties
}

// of is the user data of a message, which must be secret.
func of(t *testing.T, properties *structpb.Struct) string {
	t.Helper()
	secret := properties.GetFields()["userData"].GetStructValue()
	if secret == nil {
		t.Fatalf("no secret: %v", properties)
	}
	return secret.GetFields()["value"].GetStringValue()
}

// TestShort has what the engine keeps be a hash, and the drive be made of the text.
func TestShort(t *testing.T) {
	inner := &recorder{there: text}
	s, ctx := Short(inner), context.Background()
	checked, err := s.Check(ctx, &pulumirpc.CheckRequest{Urn: urn, News: with(text)})
	if err != nil || !strings.HasPrefix(of(t, checked.Inputs), prefix) {
		t.Fatal(checked, err)
	}
	made, err := s.Create(ctx, &pulumirpc.CreateRequest{Urn: urn, Properties: checked.Inputs})
	if err != nil || of(t, inner.asked[0]) != text || of(t, made.Properties) != of(t, checked.Inputs) {
		t.Fatal(inner.asked, made, err)
	}
	// States of the published plugin have the text: that is no change, and a refresh leaves it.
	if _, err := s.Diff(ctx, &pulumirpc.DiffRequest{Urn: urn, Olds: with(text), OldInputs: with(text), News: checked.Inputs}); err != nil {
		t.Fatal(err)
	}
	for _, asked := range inner.asked {
		if of(t, asked) != of(t, checked.Inputs) {
			t.Fatal(asked)
		}
	}
	for before, want := range map[string]string{text: text, of(t, made.Properties): of(t, made.Properties)} {
		read, err := s.Read(ctx, &pulumirpc.ReadRequest{Urn: urn, Properties: with(before), Inputs: with(before)})
		if err != nil || of(t, read.Properties) != want || of(t, read.Inputs) != want {
			t.Fatal(read, err)
		}
	}
	inner.there = "#cloud-config\nhostname: two\n"
	if read, err := s.Read(ctx, &pulumirpc.ReadRequest{Urn: urn, Properties: made.Properties, Inputs: made.Properties}); err != nil || of(t, read.Properties) == of(t, made.Properties) {
		t.Fatal("another drive is another hash", read, err)
	}
}

// TestShortWithoutACheck fails to make a drive of which nobody knows the text.
func TestShortWithoutACheck(t *testing.T) {
	s := Short(&recorder{})
	_, err := s.Create(context.Background(), &pulumirpc.CreateRequest{Urn: urn, Properties: with(prefix + "5f2c")})
	if err == nil || !strings.Contains(err.Error(), "run pulumi up again") {
		t.Fatal(err)
	}
}

// TestShortOnlyDrives leaves other resources alone.
func TestShortOnlyDrives(t *testing.T) {
	s := Short(&recorder{})
	checked, err := s.Check(context.Background(), &pulumirpc.CheckRequest{Urn: strings.ReplaceAll(urn, drive, "libvirt:index/volume:Volume"), News: with(text)})
	if err != nil || of(t, checked.Inputs) != text {
		t.Fatal(checked, err)
	}
}
