package admin

import (
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// refused reports whether a cluster answers that we are not root.
func refused(err error) bool {
	return isAnswer(err, rpctypes.ErrAuthFailed) || isAnswer(err, rpctypes.ErrPermissionDenied)
}

// notNow reports whether another try may succeed.
func notNow(err error) bool {
	for _, passing := range []error{
		rpctypes.ErrUnhealthy, rpctypes.ErrMemberNotEnoughStarted, rpctypes.ErrMemberLearnerNotReady, rpctypes.ErrTooManyLearners,
		rpctypes.ErrNoLeader, rpctypes.ErrLeaderChanged, rpctypes.ErrTimeout, rpctypes.ErrTimeoutDueToLeaderFail,
		rpctypes.ErrTimeoutDueToConnectionLost, rpctypes.ErrStopped, rpctypes.ErrNotLeader, rpctypes.ErrTimeoutWaitAppliedIndex, askedLearner,
	} {
		if isAnswer(err, passing) {
			return true
		}
	}
	return Unreachable(err)
}

// askedLearner is the answer of a member that does not vote yet. Another try
// asks another member.
var askedLearner = rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner)

func isAnswer(err, answer error) bool {
	return err != nil && rpctypes.Error(err).Error() == answer.Error()
}

// first is the address at which a member serves, or "" if it never started.
func first(urls []string) string {
	if len(urls) == 0 {
		return ""
	}
	return urls[0]
}
