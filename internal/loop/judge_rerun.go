package loop

import (
	"context"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// JudgeRerun returns the verdict on running a command a second time with access, after its
// sandbox made it fail.
func (p *permissions) JudgeRerun(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return p.judgeRerun(ctx, c, access, "", p.paths)
}

// JudgeRerun is permissions.JudgeRerun for the delegate.
func (n narrowed) JudgeRerun(ctx context.Context, c tools.Call, access tools.Access) policy.Verdict {
	return n.judgeRerun(ctx, c, access, n.widest, n.at)
}

// judgeRerun is JudgeRerun in a mode that is at most widest, for a workspace with these paths.
func (p *permissions) judgeRerun(ctx context.Context, c tools.Call, access tools.Access, widest event.Mode, paths policy.Paths) policy.Verdict {
	if p.sandbox != nil {
		paths.Sandbox = p.sandbox()
	}
	f := paths.Look(ctx, c)
	return p.inMode(widest, paths.Copy, func() policy.Verdict {
		v := p.policy.JudgeRerun(c, f, access)
		if v.Ask && access.NotUndoable && !p.attended {
			v.Remedies = p.policy.Remedies(c, f, []event.Mode{}) // no mode allows it
		}
		return v
	})
}
