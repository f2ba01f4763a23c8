package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Again returns the verdict on running a command a second time with access, after its
// sandbox made it fail.
func (p *permissions) Again(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return p.again(ctx, c, access, "", p.paths)
}

// Again is permissions.Again for the delegate.
func (n narrowed) Again(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return n.again(ctx, c, access, n.widest, n.at)
}

// again is Again in a mode that is at most widest, for a workspace with these paths.
func (p *permissions) again(ctx context.Context, c tools.Call, access tools.Access, widest event.Mode, paths policy.Paths) policy.Verdict {
	if p.sandbox != nil {
		paths.Sandbox = p.sandbox()
	}
	f := paths.Look(ctx, c)
	return p.inMode(widest, paths.Copy, func() policy.Verdict { return p.policy.Again(c, f, access) })
}
