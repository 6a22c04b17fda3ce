package provider

import (
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	protobuf "google.golang.org/protobuf/proto"
)

// messages writes and reads what goes to the engine and comes from it, as gRPC itself does, with two differences.
//
// Resources are registered without the places in the source of this package that do so. The SDK sends them whatever it
// is asked, the engine keeps them for each resource, and they say nothing to those who have a state: they were a sixth
// of it, and the engine writes all of it twice for each resource that it makes. Of what a program registers itself, the
// places in the program stay.
//
// And a message takes as much memory as it has bytes. gRPC takes 1 MiB for what is larger than 32 KiB, as a drive is,
// and keeps it until the call is answered: of a hundred machines that are made at once that was 100 MiB.
//
// What is no message of protobuf's present kind, as those of etcd, is left to gRPC.
type messages struct{ encoding.CodecV2 }

// Marshal takes the places out of a request that nothing else reads any more.
func (m messages) Marshal(v any) (mem.BufferSlice, error) {
	if req, is := v.(*pulumirpc.RegisterResourceRequest); is {
		req.SourcePosition, req.StackTrace = nil, nil
	}
	message, is := v.(protobuf.Message)
	if !is {
		return m.CodecV2.Marshal(v)
	}
	text, err := protobuf.Marshal(message)
	return mem.BufferSlice{mem.SliceBuffer(text)}, err
}

// Unmarshal reads a message.
func (m messages) Unmarshal(data mem.BufferSlice, v any) error {
	message, is := v.(protobuf.Message)
	if !is {
		return m.CodecV2.Unmarshal(data, v)
	}
	return protobuf.Unmarshal(data.Materialize(), message)
}

// sendMessages has all of the process send so: contexts offer no place to say it. Call it before anything is sent.
func sendMessages() { encoding.RegisterCodecV2(asMessages()) }

func asMessages() messages { return messages{encoding.GetCodecV2(proto.Name)} }
