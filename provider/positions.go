package provider

import (
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// positionless writes messages as its codec does, but registers resources without the places in the source of this
// package that do so. The SDK sends them whatever it is asked, the engine keeps them for each resource, and they say
// nothing to those who have a state: they were a sixth of it, and the engine writes all of it twice for each resource
// that it makes. Of what a program registers itself, the places in the program stay.
type positionless struct{ encoding.CodecV2 }

// Marshal takes the places out of a request that nothing else reads any more.
func (c positionless) Marshal(v any) (mem.BufferSlice, error) {
	if req, is := v.(*pulumirpc.RegisterResourceRequest); is {
		req.SourcePosition, req.StackTrace = nil, nil
	}
	return c.CodecV2.Marshal(v)
}

// leaveOutPositions holds for all of the process, whose contexts offer no place to say it. Call it before anything is
// sent.
func leaveOutPositions() {
	encoding.RegisterCodecV2(positionless{encoding.GetCodecV2(proto.Name)})
}
