package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/tempdir"
)

// judgeCommand judges a call that runs a command, in the order of the table of modes.
func (p *Policy) judgeCommand(c tools.Call, f Facts, found ruleMatch) Verdict {
	if script, ok := f.automatic(c); ok && found.ask == nil {
		v := p.runs("read-only commands need no approval")
		v.Script, v.Environment, v.Access = script, f.environment, tools.Access{Private: true, Hide: f.below, Git: f.repository}
		return v
	}
	if p.Mode == event.ModePlan {
		return Verdict{Refuse: true, Why: denied(f), Rule: denied(f), Decider: p.row("commands are denied unless they are known to be read-only")}
	}
	v := p.askCommand(c, f)
	switch {
	case len(f.Protected) > 0:
		v.Protected, v.Why, v.Rule, v.Decider = true, ruleChange, ruleChange, p.row(ruleChange)
		return v
	case found.ask != nil:
		by := ruled(found.ask)
		v.Why, v.Rule, v.Decider, v.ByRule = by.Why, by.Rule, by.Decider, true
		v.Offer = standing.Grant{}
		if found.ask.Action == rule.Deny {
			v.Why = "the text of the command does not show whether a rule denies it: " + found.ask.Decider()
			v.Rule = v.Why
			v.Decider += " (the text of the command does not show whether this rule matches)"
		}
		return v
	}
	all := p.allowsCommand(c, f)
	if all.complete {
		return p.judgeAllowed(all, f, v)
	}
	switch p.Mode {
	case event.ModeAll:
		why := f.unapproved(all.left)
		if why == "" {
			return p.runsInAll(f, all, v.Access.Network)
		}
		if f.uncontained() == "" {
			v.Why, v.Rule, v.Decider = why, why, p.row(why)
		} else if v.Rule == ruleCommands {
			v.Rule, v.Decider = why, p.row(why)
		}
	case event.ModeAuto:
		why := f.asksInAuto(c, all)
		if why == "" {
			run := p.runs(rowContained)
			run.Access, run.Files = f.containment(), f.Files
			return run
		}
		if v.Rule == ruleCommands {
			v.Rule, v.Decider = why, p.row(why)
		}
	}
	return all.explain(v, f)
}

// explain adds to a verdict that asks why rules and permissions do not allow the command.
func (all allowance) explain(v Verdict, f Facts) Verdict {
	if all.options {
		v.Why, v.Rule = ruleOptions, ruleOptions
	}
	if all.mixed != "" {
		v.Why, v.Rule = all.mixed, all.mixed
	}
	v.Part = f.culprit(v.Rule, all.first)
	if all.ended != "" {
		v.Why, v.Rule = "the standing permission for this command ended because one of its files changed", ruleCommands
		v.Warning = strings.TrimSuffix(all.ended+"; "+v.Warning, "; ")
	}
	return v
}

// judgeAllowed judges a command that rules and permissions allow. asks is the verdict that
// asks about it, for what standing permissions do not cover.
func (p *Policy) judgeAllowed(all allowance, f Facts, asks Verdict) Verdict {
	why := ""
	if all.standing {
		why = p.uncovered(f)
	}
	if why == "" {
		return all.verdict(f)
	}
	asks.Why, asks.Rule, asks.Decider = why, why, p.row(why)
	return asks
}

// rowContained is the row of the table of modes for commands that run without approval.
const rowContained = "commands in the complete sandbox need no approval: it refuses changes that undo cannot restore"

// containment returns the access of a command that nobody approved, and that makes only changes which
// undo can restore.
func (f Facts) containment() tools.Access {
	return tools.Access{HideHome: true, Strict: true, Repositories: f.changes.git, ReadOnly: f.changes.gitDirs}
}

// runsInAll returns the verdict on a command that needs no approval in mode all.
func (p *Policy) runsInAll(f Facts, all allowance, connects bool) Verdict {
	run := p.runs(rowContained)
	run.Access = f.containment()
	switch {
	case f.paths.Disposable:
		run = p.runs("all changes are discarded with this workspace")
		run.Access.HideHome = true
	case f.paths.Sandbox == SandboxOutside:
		return p.runs("--no-sandbox: commands need no approval")
	}
	run.Access.Show, run.Access.Hide = f.documents()
	run.Access.Network, run.Access.Permitted, run.Files = all.network || f.paths.Disposable && connects, all.network, f.Files
	return run
}

// documents returns the files and directories in the home directory that the text of a
// command names and that mode all reads without approval, and the files in them that may hold
// secrets. Of hidden files and those in hidden directories nobody knows which do.
func (f Facts) documents() (paths, secrets []string) {
	home := f.paths.Resolved.Of(f.paths.Home)
	for _, t := range f.touched {
		path, below := strings.CutPrefix(t.real(), home+"/")
		kind := command.Look(t.real())
		if below && t.outside && !t.secret && !t.change && t.path == t.real() && !strings.Contains("/"+path, "/.") && (kind == command.File || kind == command.Directory) {
			below, all := secretsBelow([]string{t.real()})
			if !all {
				continue
			}
			paths, secrets = append(paths, t.real()), append(secrets, below...)
		}
	}
	return paths, secrets
}

// systemTemporary returns the files in the temporary directory of the system that the text of a
// command names, and the directories if the command is approved. The command sees only these of
// it. Those that are hidden or may hold secrets, as those of other sessions, are left out.
func (f Facts) systemTemporary(approved bool) (paths []string) {
	if f.paths.Temp.Path() == "" {
		return nil
	}
	for _, t := range f.touched {
		kind := command.Look(t.real())
		if t.outside && !t.secret && t.path == t.real() && f.paths.Temp.Covers(t.real()) && !strings.Contains(t.path, "/.") &&
			(kind == command.File || kind == command.Directory && approved) && !slices.Contains(tempdir.Mounts[:], t.path) {
			paths = append(paths, t.path)
		}
	}
	return paths
}

// asksInAuto returns why a command needs approval in mode auto; empty if it runs. In addition to mode
// all, it must name no files that the sandbox hides, and its text must show no change of the history of
// git. The changes of a copy are judged when they are applied.
func (f Facts) asksInAuto(c tools.Call, all allowance) string {
	switch {
	case f.Command == nil, f.paths.Copy, f.paths.Disposable, len(c.Warnings) > 0:
		return ruleContained
	case f.uncontained() != "":
		return f.uncontained()
	case slices.ContainsFunc(f.Command.Parts, changesHistory):
		return ruleHistory
	case f.namesHidden():
		return ruleHidden
	case all.network:
		return ruleNetwork
	}
	return f.unapproved(all.left)
}

// ruleContained is the row of the table of modes for commands that need approval, because nothing
// limits what they change to what undo can restore.
const ruleContained = "commands need approval unless they are known to be read-only, or the sandbox limits their changes to what undo can restore"

// uncontained returns the row for a command whose changes the sandbox does not limit to what undo can
// restore; empty if it does, whatever the text of the command says.
func (f Facts) uncontained() string {
	switch {
	case f.paths.Sandbox != SandboxFull:
		return ruleContained + " (the sandbox is not complete here)"
	case !f.changes.recorded:
		return ruleContained + " (undo does not record commands here)"
	case f.changes.git && !f.changes.keepsGit:
		return ruleContained + " (undo does not record this git repository)"
	}
	return ""
}

// writesTemporary reports whether a command writes to a path in the temporary directory, so
// that it may also read and name it.
func (f Facts) writesTemporary(path string) bool {
	return slices.ContainsFunc(f.touched, func(t touched) bool { return t.change && !t.outside && t.path == path })
}

// runsProgram reports whether a path is only named as the program of a part.
func (f Facts) runsProgram(path string) bool {
	return slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return len(p.Words) > 0 && p.Words[0].Text == path })
}

// unsearched is why a command that only reads needs approval if Facts.unsearched is set.
const unsearched = "it reads too many files and directories to search them for secrets"

// The rows of the table of modes for commands that need approval.
const (
	ruleMany          = "commands that read more directories than can be searched for secrets need approval"
	ruleCommands      = "commands need approval unless they are known to be read-only"
	ruleHistory       = "commands that change the history or the settings of git need approval"
	ruleHidden        = "commands that name files in the home directory outside the workspace need approval"
	ruleNetwork       = "commands that use the network need approval"
	ruleWritesOutside = "commands that write outside the workspace need approval"
	ruleSecret        = "reading a file that may hold secrets needs approval every time"
	ruleOutside       = "reading outside the workspace needs approval"
	ruleMixedNetwork  = "all commands of a line get network access or none, and not all of these may use the network; run them one by one"
	ruleJobs          = "permissions for the network do not apply while a job runs that nobody approved; stop the job first"
	ruleMixedEdits    = "a standing permission does not apply to a line that also writes files; run the commands one by one"
	ruleOptions       = "a program that can run others could take words that `xargs` or `parallel` reads, such as file names with spaces, as options; separate them with NUL (`grep -rlZ X . | xargs -0`) or end the options with --"
)

// ruleCommand returns the row for a command that needs approval.
func (f Facts) ruleCommand() string {
	switch {
	case f.unsearched:
		return ruleMany
	case f.Command == nil || f.Command.Form != "" || len(f.Command.Unreadable) == 0:
		return ruleCommands
	case slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Reason != "" }):
		return ruleCommands
	case len(f.secretReads()) > 0:
		return ruleSecret
	}
	return ruleOutside
}

// askCommand returns the verdict on a command that needs approval. It runs with the
// network if one of its parts connects.
func (p *Policy) askCommand(c tools.Call, f Facts) Verdict {
	v := p.asks(f.ruleCommand())
	v.Warning, v.Files = f.warnings(), f.Files
	if f.Command == nil {
		return v
	}
	v.Access.Network = f.Command.Traits&command.Connects != 0
	paths, known := f.writesOutside()
	switch {
	case f.paths.Sandbox.none():
	case known:
		v.Access.Write, v.Access.Protected, v.Access.Show = paths, f.spelled, f.shownSecrets()
	case p.deniesNetwork(f) == nil: // a command without a sandbox has the network
		v.Access.Outside = true
	}
	if f.Command.Reason != "" && !strings.Contains(f.Warning, f.Command.Reason) {
		v.Why = f.Command.Reason
	}
	if len(f.changes.shared) > 0 && f.Command.Traits&command.WritesOutside == 0 {
		v.Why = "it writes to `" + realpath.Shorten(f.changes.shared[0], f.Dir) + "`, which has several names or is a pipe or a device"
	}
	if !v.Access.Outside && f.Command.Traits&command.Destroys != 0 {
		v.Warning = strings.TrimSuffix(strings.TrimPrefix(v.Warning+"; "+f.changes.note(v.Warning), "; "), "; ")
	}
	switch {
	case f.unsearched:
		v.Why = unsearched
	case f.Command.Automatic() && len(f.below) > 0:
		v.Why = "it reads " + f.below[0] + ": its name says that it may hold secrets"
	}
	v.Offer = p.offer(c, f)
	return v
}

// warnings returns what the user must know before a command runs; it may be empty.
func (f Facts) warnings() string {
	all := []string{f.Warning, describe(f.Protected)}
	if len(f.Protected) == 0 {
		for _, path := range f.secretReads() {
			all = append(all, path+" may hold secrets")
		}
	}
	return strings.Join(slices.DeleteFunc(all, func(w string) bool { return w == "" }), "; ")
}

// denied explains why permission mode plan denies a command.
func denied(f Facts) string {
	const plan = "plan mode runs only read-only commands"
	switch {
	case f.unsearched:
		return plan + ", and " + unsearched + ": name the directories that you need"
	case f.Command == nil || f.Command.Automatic(): // a rule asks, or the shell is not bash
		return plan
	}
	return f.Command.Denied()
}

// unapproved returns why a command needs approval in mode all; empty if it runs. Left are
// the traits of the parts that no rule and no standing permission covers.
func (f Facts) unapproved(left command.Trait) string {
	switch {
	case f.paths.Disposable:
		return ""
	case f.paths.Sandbox == SandboxOutside && f.pushes():
		return "commands that push to another repository need approval"
	case f.paths.Sandbox == SandboxOutside:
		return ""
	case f.uncontained() != "":
		return f.uncontained()
	case f.paths.Commands.Evaded != nil && f.paths.Commands.Evaded():
		return "commands need approval, because one tried to hide a change from undo"
	case left&command.WritesOutside != 0:
		return ruleWritesOutside
	case slices.ContainsFunc(f.touched, func(t touched) bool { return t.change && f.paths.look(t.path) == command.Special }):
		return "commands that write to pipes and devices need approval"
	case left&command.Connects != 0 && !f.triesOnly():
		return ruleNetwork
	case len(f.secretReads()) > 0:
		return ruleSecret
	case f.unsearched:
		return ruleMany
	}
	return ""
}

// triesOnly reports whether all parts of the command that use the network often work without it.
func (f Facts) triesOnly() bool {
	return !slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Traits&(command.Connects|command.Tries) == command.Connects })
}

// secretReads returns the files that may hold secrets and that a command reads or names.
// A path is relative to the directory of the command if it is below that. A word whose value
// is not known is returned as written.
func (f Facts) secretReads() (paths []string) {
	for _, t := range f.touched {
		path := realpath.Shorten(t.path, f.Dir)
		if t.secret && !t.listed && !t.change && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return append(paths, f.endings...)
}

// shownSecrets returns those of secretReads that are regular files outside the
// workspace, absolute. They do not include files that the command reaches through
// symbolic links, because its text does not show their paths.
func (f Facts) shownSecrets() (paths []string) {
	for _, t := range f.touched {
		if t.secret && t.outside && !t.change && command.Look(t.path) == command.File && t.path == t.real() && !slices.Contains(paths, t.path) {
			paths = append(paths, t.path)
		}
	}
	return paths
}

// automatic returns the script of a command that needs no approval: it only reads, and
// only what it may read. It reports false for every other call.
func (f Facts) automatic(c tools.Call) (script string, ok bool) {
	if f.Command == nil || f.paths.Shell.NoBash || !f.Command.Automatic() || len(c.Warnings) > 0 || f.unsearched || len(f.below) > 0 && f.paths.Sandbox != SandboxFull {
		return "", false
	}
	return f.Command.Script(tools.GitFunction)
}

// unreadable reports whether a part reads a file that needs approval.
func (f Facts) unreadable(part *command.Part) bool {
	return slices.ContainsFunc(part.Reads, func(path string) bool { return slices.Contains(f.Command.Unreadable, path) })
}

// inRoot reports whether a command runs in the workspace.
func (f Facts) inRoot() bool { return f.Dir != "" && f.Root != "" && within([]string{f.Root}, f.Dir) }

// maxWarned limits the files that a warning names.
const maxWarned = 3

// named returns the files that p writes, as a list after its reason. It is empty if the
// reason names one.
func named(p *command.Part, dir string, s sizes) string {
	var names []string
	for _, path := range p.Writes {
		if strings.Contains(p.Reason, filepath.Base(path)+"`") {
			return ""
		}
		names = append(names, strings.TrimRight(realpath.Shorten(path, dir), "/")+s[strings.TrimRight(path, "/")])
	}
	switch {
	case names == nil:
		return ""
	case len(names) > maxWarned:
		return ": " + phrase.Some(names, maxWarned)
	}
	return ": " + phrase.List(names, "and")
}

// warning returns what a command in dir destroys, overwrites or changes outside the
// workspace; empty if that is nothing.
func warning(c *command.Command, dir string, s sizes) string {
	var out []string
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Traits&(command.Destroys|command.WritesOutside) == 0 {
			continue
		}
		if text := p.Reason + named(p, dir, s); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if downloads(c) {
		out = append(out, "runs downloaded code")
	}
	return strings.Join(out, "; ")
}

// downloads reports whether a line seems to run code that it downloads, as
// `curl … | sh` and `sh -c "$(curl …)"` do.
func downloads(c *command.Command) bool {
	piped := false
	substituted := strings.Contains(c.Line, "$(") || strings.Contains(c.Line, "<(") || strings.Contains(c.Line, "`")
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Operator != "|" {
			piped = false
		}
		if piped && p.Traits&command.RunsCode != 0 {
			return true
		}
		if slices.Contains([]string{"curl", "wget", "aria2c", "fetch", "http", "https", "iwr"}, p.Program()) {
			piped = true
			if substituted && p.Nested && slices.ContainsFunc(c.Parts, func(q command.Part) bool { return !q.Nested && q.Traits&command.RunsCode != 0 }) {
				return true
			}
		}
	}
	return false
}
