package etcdmachines

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ending has clients of an etcd in this process see an etcd that ends where it
// panics: one that stops closes its database while it still answers, which costs
// a program of its own nothing, and here all that run beside it.
var ending = []grpc.ServerOption{
	grpc.ChainUnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
		defer ended(&err)
		return handle(ctx, request)
	}),
	grpc.ChainStreamInterceptor(func(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) (err error) {
		defer ended(&err)
		return handle(server, stream)
	}),
}

func ended(err *error) {
	if recover() != nil {
		*err = status.Error(codes.Unavailable, "etcd ends")
	}
}
