package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
)

// listTime limits how long a list of permissions may read the files of commands.
const listTime = 2 * time.Second

// entry is a rule or a standing permission.
type entry struct {
	event.Permission
	rule  *rule.Rule
	grant *standing.Grant
}

// entries returns the rules, and then the standing permissions that apply now.
func (p *permissions) entries(ctx context.Context) (all []entry) {
	p.mu.Lock()
	rules, grants, stored := slices.Clone(p.policy.Rules), p.policy.Grants(), slices.Clone(p.stored)
	project := len(rules) - p.projectRules
	p.mu.Unlock()
	for i, r := range rules {
		all = append(all, entry{rule: &r, Permission: event.Permission{
			ID: "rule " + r.String() + " " + r.Source, Text: r.String(), Source: r.Source, Removable: i >= project && p.forgetRule != nil,
		}})
	}
	for _, g := range grants {
		if g.Ended(p.namedBy(ctx, g)) != "" {
			continue
		}
		source := "this session"
		if contains(stored, g.Scope) {
			source = "this project"
		}
		all = append(all, entry{grant: &g, Permission: event.Permission{
			ID: fmt.Sprintf("grant %+v", g.Scope), Text: "always allow " + oneLine(p.paths.Describe(g), maxScope), Source: source, Granted: true, Removable: true,
		}})
	}
	return all
}

// do executes a command about permissions. It may read files.
func (p *permissions) do(c event.Command) {
	switch c := c.(type) {
	case event.ListPermissions:
		p.list(c.Ref)
	case event.ExplainPermission:
		p.explain(c)
	case event.RemovePermission:
		p.remove(c)
	}
}

// list answers a command with the permissions that apply now. Before, it emits the sandbox
// of commands unless it was reported already.
func (p *permissions) list(to event.Ref) {
	if p.sandbox != nil {
		p.sandbox()
	}
	ctx, stop := context.WithTimeout(context.Background(), listTime)
	defer stop()
	now := event.PermissionsNow{Ref: to, Mode: p.Mode(), File: p.file}
	for _, e := range p.entries(ctx) {
		now.Permissions = append(now.Permissions, e.Permission)
	}
	_ = p.rec.emit(now)
}

// explain emits how the shell command of c would be judged now. It would run in the
// workspace.
func (p *permissions) explain(c event.ExplainPermission) {
	ctx, stop := context.WithTimeout(context.Background(), listTime)
	defer stop()
	p.mu.Lock()
	judge := policy.Policy{Mode: p.policy.Mode, Rules: slices.Clone(p.policy.Rules)}
	grants := p.policy.Grants()
	p.mu.Unlock()
	for _, g := range grants {
		judge.Allow(g)
	}
	paths := p.paths
	if p.sandbox != nil {
		paths.Sandbox = p.sandbox()
	}
	_ = p.rec.emit(event.Explained{Ref: c.Ref, Lines: judge.Explain(ctx, paths, c.Line, paths.Workspace).SessionLines()})
}

// remove removes a permission of PermissionsNow, and reports it.
func (p *permissions) remove(c event.RemovePermission) {
	ctx, stop := context.WithTimeout(context.Background(), listTime)
	defer stop()
	all := p.entries(ctx)
	i := slices.IndexFunc(all, func(e entry) bool { return e.ID == c.ID })
	if i < 0 {
		p.rec.answer(c.Ref, "That permission no longer exists. Run /permissions to list the current ones.")
		return
	}
	e := all[i]
	if err := p.removeEntry(e); err != nil {
		p.rec.answer(c.Ref, fmt.Sprintf("Cannot remove the permission: %v.", err))
		return
	}
	done := &event.PermissionRemoved{Meta: p.rec.meta(), Ref: c.Ref, Text: e.Text}
	if e.grant != nil {
		record := e.grant.Record()
		done.Grant = &record
	}
	_ = p.rec.emit(done)
}

func (p *permissions) removeEntry(e entry) error {
	switch {
	case !e.Removable:
		return errors.New("it is configured in " + e.Source + ": change it there")
	case e.rule != nil:
		if err := p.forgetRule(*e.rule); err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		project := len(p.policy.Rules) - p.projectRules
		kept := slices.DeleteFunc(slices.Clone(p.policy.Rules[project:]), func(r rule.Rule) bool { return r.String() == e.rule.String() })
		p.policy.Rules, p.projectRules = append(p.policy.Rules[:project:project], kept...), len(kept)
		return nil
	}
	return p.revoke(*e.grant)
}

// revoke removes a standing permission, also from the project.
func (p *permissions) revoke(g standing.Grant) error {
	p.mu.Lock()
	stored := contains(p.stored, g.Scope)
	p.mu.Unlock()
	if stored && p.forget != nil {
		if err := p.forget(g); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.policy.Forget(g.Scope)
	p.stored = slices.DeleteFunc(slices.Clone(p.stored), func(s standing.Grant) bool { return s.Scope == g.Scope })
	return nil
}

// contains reports whether one of the standing permissions has a scope.
func contains(all []standing.Grant, s standing.Scope) bool {
	return slices.ContainsFunc(all, func(g standing.Grant) bool { return g.Scope == s })
}
