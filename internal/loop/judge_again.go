package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// JudgeAgain returns the verdict on running a command a second time with access, after its
// sandbox made it fail.
func (p *permissions) JudgeAgain(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return p.judgeAgain(ctx, c, access, "", p.paths)
}

// JudgeAgain is permissions.JudgeAgain for the delegate.
func (n narrowed) JudgeAgain(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return n.judgeAgain(ctx, c, access, n.widest, n.at)
}

// judgeAgain is JudgeAgain in a mode that is at most widest, for a workspace with these paths.
func (p *permissions) judgeAgain(ctx context.Context, c tools.Call, access tools.Access, widest event.Mode, paths policy.Paths) policy.Verdict {
	if p.sandbox != nil {
		paths.Sandbox = p.sandbox()
	}
	f := paths.Look(ctx, c)
	return p.inMode(widest, paths.Copy, func() policy.Verdict {
		v := p.policy.JudgeAgain(c, f, access)
		if v.Ask && access.NotUndoable && !p.attended {
			v.Remedies = p.policy.Remedies(c, f, []event.Mode{}) // no mode allows it
		}
		return v
	})
}
