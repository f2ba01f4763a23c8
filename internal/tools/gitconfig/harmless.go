package gitconfig

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
)

// Repository says where a configuration file is, which decides which settings are harmless.
type Repository struct {
	Dir string // of the file, absolute
	// New is set if the command made the git directory. Then it may also make the settings that
	// git makes in a new repository.
	New bool
	// Roots are the directories in which a new repository may have its worktree, absolute and
	// without links.
	Roots []string
}

// keysOf lists keys of the variables in a section.
type keysOf struct{ section, keys string }

// harmlessSettings are the settings that nobody needs to approve, by section: they make git run no
// program, and work on no other directory or repository. A "*" stands for all keys of the
// section. They are those that git, Git LFS and gh make themselves, and those of output and
// of branches; the section options is that of a cherry-pick in progress. Settings with a subsection
// are in harmlessBelow.
var harmlessSettings = []keysOf{
	{"advice", "*"},
	{"color", "*"},
	{"column", "*"},
	{"index", "*"},
	{"feature", "*"},
	{"log", "*"},
	{"pack", "*"},
	{"sparse", "*"},
	{"status", "*"},
	{"user", "*"},
	{"blame", "blankboundary coloring date ignorerevsfile showemail showroot"},
	{"branch", "autosetupmerge autosetuprebase sort"},
	{"checkout", "defaultremote guess workers thresholdforparallelism"},
	{"commit", "cleanup gpgsign status verbose"},
	{"core", "abbrev autocrlf bigfilethreshold checkstat commentchar commentstring commitgraph compression eol filemode fscache hidedotfiles ignorecase longpaths loosecompression multipackindex packedgitlimit packedgitwindowsize precomposeunicode preloadindex quotepath repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone splitindex symlinks trustctime untrackedcache whitespace"},
	{"diff", "algorithm colormoved colormovedws context dstprefix indentheuristic interhunkcontext mnemonicprefix noprefix relative renamelimit renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty wordregex wserrorhighlight"},
	{"extensions", "preciousobjects relativeworktrees worktreeconfig"},
	{"fetch", "all fsckobjects negotiationalgorithm output parallel prune recursesubmodules showforcedupdates unpacklimit writecommitgraph"},
	{"format", "pretty signoff"},
	{"gc", "aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks packrefs writecommitgraph"},
	{"grep", "column extendedregexp fullname linenumber patterntype threads"},
	{"init", "defaultbranch"},
	{"lfs", "allowincompletepush concurrenttransfers fetchexclude fetchinclude locksverify repositoryformatversion setlockablereadonly skipdownloaderrors"},
	{"maintenance", "auto autodetach strategy"},
	{"merge", "autostash branchdesc conflictstyle directoryrenames ff log renamelimit renames stat verbosity"},
	{"options", "allow-empty allow-empty-message allow-ff allow-rerere-auto default-msg-cleanup drop-redundant-commits edit gpg-sign keep-redundant-commits mainline no-commit record-origin signoff strategy-option"},
	{"pull", "ff rebase"},
	{"push", "autosetupremote default followtags"},
	{"rebase", "abbreviatecommands autosquash autostash backend forkpoint missingcommitscheck rebasemerges stat updaterefs"},
	{"rerere", "autoupdate enabled"},
	{"stash", "showincludeuntracked showpatch showstat"},
	{"submodule", "active fetchjobs propagatebranches recurse"},
	{"tag", "forcesignannotated gpgsign sort"},
	{"worktree", "guessremote userelativepaths"},
}

// harmlessBelow is harmlessSettings for settings with a subsection, such as branch.NAME.merge. The
// URL of a submodule comes from .gitmodules, and git only clones from it.
var harmlessBelow = []keysOf{
	{"branch", "description gh-merge-base github-pr-owner-number merge rebase vscode-merge-base"},
	{"color", "*"},
	{"lfs", "access locksverify"},
	{"maintenance", "enabled schedule"},
	{"remote", "followremotehead gh-resolved partialclonefilter promisor prune skipdefaultupdate skipfetchall tagopt"},
	{"submodule", "active branch fetchrecursesubmodules ignore shallow update url"},
}

// madeByGit are further settings that git makes in a new repository.
var madeByGit = []string{
	"core.bare", "core.sharedrepository", "receive.denynonfastforwards", "remote.*.fetch", "remote.*.mirror", "remote.*.url",
	"submodule.alternatelocation", "submodule.alternateerrorstrategy", "fetch.bundleuri", "fetch.bundlecreationtoken",
}

// judge decides which variables of two texts of a configuration file are harmless.
type judge struct {
	Repository
	known   []string // URLs and names of remotes before
	remotes []string // those with a URL afterwards
}

func newJudge(r Repository, before, after []Variable) judge {
	j := judge{Repository: r}
	for _, v := range before {
		if v.isURL() || v.namesRemote() {
			j.known = append(j.known, v.Value)
		}
	}
	for _, v := range after {
		if v.Section == "remote" && v.Key == "url" {
			j.remotes = append(j.remotes, v.Subsection)
		}
	}
	return j
}

// harmless reports whether nobody needs to approve a variable.
func (j judge) harmless(v Variable) bool {
	settings := harmlessSettings
	pattern := v.Section + "." + v.Key
	if v.Subsection != "" {
		settings, pattern = harmlessBelow, v.Section+".*."+v.Key
	}
	listed := func(of keysOf) bool {
		return of.section == v.Section && (of.keys == "*" || slices.Contains(strings.Fields(of.keys), v.Key))
	}
	switch {
	case v.RunsPrograms():
		return false
	case slices.ContainsFunc(settings, listed), j.New && slices.Contains(madeByGit, pattern):
		return true
	case j.New && v.Section == "extensions":
		return true
	case v.isURL():
		return IsRemoteURL(v.Value) || slices.Contains(j.known, v.Value)
	case v.namesRemote():
		return v.Value == "." || IsRemoteURL(v.Value) || slices.Contains(j.remotes, v.Value) || slices.Contains(j.known, v.Value)
	case v.Name() == "core.worktree":
		return j.ownWorktree(v.Value)
	case v.Section == "remote" && v.Subsection != "" && v.Key == "fetch":
		return keepsBranches(v.Value)
	case v.Name() == "core.logallrefupdates": // without reflogs, commits can be lost
		return v.Value == "true" || v.Value == "always"
	case v.Name() == "options.strategy": // git runs git-merge-NAME for all others
		return slices.Contains([]string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}, v.Value)
	}
	return false
}

// NeedsApproval reports whether a setting may make git run a program, or work elsewhere, by its
// name and the value that it gets. A word without a slash counts as the name of a remote.
func NeedsApproval(name, value string) bool {
	v := newVariable(name, value)
	v.Section, v.Key = strings.ToLower(v.Section), strings.ToLower(v.Key)
	j := judge{}
	if !strings.ContainsAny(value, `/\:`) {
		j.remotes = []string{value}
	}
	return !j.harmless(v)
}

// IsRemoteURL reports whether git reaches a repository over the network by a URL: it has a scheme
// such as https, or the form host:path. Git runs no hooks of such a repository here.
func IsRemoteURL(url string) bool {
	if strings.ContainsFunc(url, func(c rune) bool { return c <= ' ' }) {
		return false
	}
	if scheme, rest, found := strings.Cut(url, "://"); found {
		return slices.Contains([]string{"http", "https", "ssh", "git", "git+ssh", "ssh+git"}, scheme) && strings.TrimLeft(rest, "/-") == rest && rest != ""
	}
	host, path, found := strings.Cut(url, ":")
	return found && len(host) > 1 && !strings.HasPrefix(host, "-") && !strings.Contains(host, "/") && !strings.Contains(host, `\`) && !strings.HasPrefix(path, ":")
}

// keepsBranches reports whether a fetch with that refspec changes no branches and tags of the user: it
// writes to remote-tracking branches, or to nothing.
func keepsBranches(refspec string) bool {
	_, to, _ := strings.Cut(refspec, ":")
	return to == "" || strings.HasPrefix(to, "refs/remotes/")
}

// isURL reports whether the value is the URL or the path of a repository.
func (v Variable) isURL() bool {
	return v.Section == "remote" && v.Subsection != "" && (v.Key == "url" || v.Key == "pushurl")
}

// namesRemote reports whether the value is the name of a remote, or its URL or path.
func (v Variable) namesRemote() bool {
	if v.Section == "branch" && v.Subsection != "" {
		return v.Key == "remote" || v.Key == "pushremote"
	}
	return v.Name() == "remote.pushdefault" || v.Name() == "extensions.partialclone"
}

// ownWorktree reports whether the value of core.worktree names a directory in the worktree that the
// submodule belongs to, or one in the roots if the repository is new.
func (j judge) ownWorktree(value string) bool {
	real := realpath.Of(join(j.Dir, filepath.FromSlash(value)))
	inGit := string(filepath.Separator) + filepath.Join(".git", "modules") + string(filepath.Separator)
	if top, _, found := strings.Cut(j.Dir, inGit); found && real != realpath.Of(top) && realpath.Inside(real, realpath.Of(top)) {
		return true
	}
	return j.New && slices.ContainsFunc(j.Roots, func(root string) bool { return realpath.Inside(real, root) })
}
