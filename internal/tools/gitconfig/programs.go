package gitconfig

import (
	"slices"
	"strings"
)

// programSections are the sections in which every variable can name a program, a file
// with further settings, or the protocols that may run programs. This list and the next
// ones follow git's own documentation (git help config, git help send-email, git help svn,
// git help instaweb), that of Git LFS, and the sections of git-annex and git-secrets.
var programSections = []string{
	"alias", "browser", "credential", "difftool", "filter", "gpg", "guitool", "hook", "include", "includeif", "instaweb", "man", "mergetool",
	"pager", "protocol", "sendemail", "trailer",
}

// programKeys are names of variables that name a program, in every section.
var programKeys = []string{
	"textconv", "clean", "smudge", "process", "driver", "program", "helper", "uploadpack", "receivepack", "vcs", "procreceiverefs",
	"difffilter", "tunnel", "authorsprog", "pager", "editor", "askpass",
}

// programEndings end the names of further variables that name a program, such as
// core.sshCommand, mergetool.NAME.cmd and gc.recentObjectsHook.
var programEndings = []string{"command", "cmd", "hook"}

// programVariables are further variables that name a program.
var programVariables = []string{
	"core.fsmonitor", "core.hookspath", "core.gitproxy", "core.attributesfile", "diff.external", "diff.tool", "diff.guitool", "help.browser",
	"init.templatedir", "lfs.path", "lfs.standalonetransferagent", "man.viewer", "merge.tool", "merge.guitool", "secrets.providers", "web.browser",
}

// RunsPrograms reports whether a variable can make git run a program.
func (v Variable) RunsPrograms() bool {
	switch {
	case v.Section == "submodule" && v.Key == "update":
		return strings.HasPrefix(v.Value, "!")
	case v.Section == "lfs" && v.Key == "path" && v.Subsection != "": // of a transfer agent
		return true
	case v.remoteCommand() != "":
		return true
	}
	return slices.Contains(programSections, v.Section) || slices.Contains(programKeys, v.Key) || slices.Contains(programVariables, v.Section+"."+v.Key) ||
		slices.ContainsFunc(programEndings, func(ending string) bool { return strings.HasSuffix(v.Key, ending) })
}

// remoteCommand returns the command in a URL of the form ext::command, also in that of
// url.URL.insteadOf.
func (v Variable) remoteCommand() string {
	for _, text := range []string{v.Value, v.Subsection} {
		if _, command, found := strings.Cut(text, "ext::"); found {
			return command
		}
	}
	return ""
}

// isPath reports whether the value is a path, not text for the shell.
func (v Variable) isPath() bool {
	return slices.Contains([]string{"core.hookspath", "core.attributesfile", "init.templatedir"}, v.Section+"."+v.Key)
}

// isHelper reports whether the value is that of a credential helper such as store, for
// which git runs git credential-store.
func (v Variable) isHelper() bool {
	return v.Section == "credential" && !strings.HasPrefix(v.Value, "!")
}
