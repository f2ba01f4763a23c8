package gitconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/realpath"
)

// Only settings that are known to be harmless change without approval.
func TestSettingsThatNeedApproval(t *testing.T) {
	const before = `[core]
	repositoryformatversion = 0
	bare = false
[remote "origin"]
	url = ../mine
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "web"]
	url = https://example.org/x
[branch "main"]
	remote = origin
	merge = refs/heads/main
`
	top := realpath.Of(t.TempDir())
	git := filepath.Join(top, ".git")
	module := filepath.Join(git, "modules", "sub")
	if err := os.MkdirAll(module, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		added   string // lines behind before
		names   string // that need approval in an old repository
		fresh   string // that need it in a new one
		dir     string // of the configuration; "" for git
		removed string // lines of before that are removed
	}{
		{added: "[user]\n\tname = n\n[core]\n\tautocrlf = true\n\tsparseCheckout = true\n[extensions]\n\tworktreeConfig = true\n[pull]\n\trebase = true\n[advice]\n\tdetachedHead = false"},
		{added: "[core]\n\tworktree = /home/user", names: "core.worktree", fresh: "core.worktree"},
		{added: "[core]\n\tworktree = " + top, names: "core.worktree"},
		{added: "[core]\n\tworktree = ../../../sub", dir: module},
		{added: "[core]\n\tworktree = ../../..", dir: module, names: "core.worktree"},
		{added: "[core]\n\tworktree = ../../../../other", dir: module, names: "core.worktree", fresh: "core.worktree"},
		{added: "[core]\n\tbare = true", names: "core.bare"},
		{added: "[extensions]\n\tobjectFormat = sha256\n\trefStorage = files:///tmp/x", names: "extensions.objectformat extensions.refstorage"},
		{added: "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\tpartialCloneFilter = blob:none"},
		{added: "[extensions]\n\tpartialClone = /tmp/x", names: "extensions.partialclone"},
		{added: "[remote \"origin\"]\n\tpushurl = /tmp/x", names: "remote.origin.pushurl", fresh: "remote.origin.pushurl"},
		{added: "[remote \"origin\"]\n\tpushurl = ../mine"},
		{added: "[remote \"r\"]\n\turl = /tmp/x", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = file:///tmp/x", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = x\n\tmirror = true", names: "remote.r.mirror remote.r.url"},
		{added: "[remote \"r\"]\n\turl = ./a:b", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = x::y", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = https:///tmp", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = c:/x", names: "remote.r.url"},
		{added: "[remote \"r\"]\n\turl = git@example.org:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/r/*\n[remote \"s\"]\n\turl = ssh://example.org/x\n\tpushurl = git://example.org/x\n[branch \"b\"]\n\tremote = r\n\tpushRemote = s\n\tmerge = refs/heads/b"},
		{added: "[remote \"r\"]\n\tpush = +refs/heads/*:refs/heads/*", names: "remote.r.push", fresh: "remote.r.push"},
		{added: "[branch \"b\"]\n\tremote = .\n[branch \"c\"]\n\tremote = https://example.org/y\n[remote]\n\tpushDefault = web"},
		{added: "[branch \"b\"]\n\tremote = /tmp/x", names: "branch.b.remote", fresh: "branch.b.remote"},
		{added: "[branch \"b\"]\n\tpushRemote = x", names: "branch.b.pushremote", fresh: "branch.b.pushremote"},
		{added: "[branch \"b\"]\n\tmergeOptions = -s x", names: "branch.b.mergeoptions", fresh: "branch.b.mergeoptions"},
		{added: "[remote]\n\tpushDefault = /tmp/x", names: "remote.pushdefault", fresh: "remote.pushdefault"},
		{added: "[url \"/tmp/x\"]\n\tpushInsteadOf = https://example.org", names: "url./tmp/x.pushinsteadof", fresh: "url./tmp/x.pushinsteadof"},
		{added: "[http]\n\tsaveCookies = true\n\tcookieFile = /home/user/.bashrc", names: "http.cookiefile http.savecookies", fresh: "http.cookiefile http.savecookies"},
		{added: "[remote \"origin\"]\n\tfetch = +refs/tags/*:refs/remotes/origin/tags/*\n\tfetch = ^refs/heads/x\n[core]\n\tlogAllRefUpdates = true"},
		{added: "[remote \"origin\"]\n\tfetch = +refs/*:refs/*", names: "remote.origin.fetch"},
		{added: "[remote \"origin\"]\n\tfetch = refs/heads/*:refs/heads/*", names: "remote.origin.fetch"},
		{added: "[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/tags/*\n\tpruneTags = true", names: "remote.origin.fetch remote.origin.prunetags", fresh: "remote.origin.prunetags"},
		{added: "[core]\n\tlogAllRefUpdates = 0x0", names: "core.logallrefupdates", fresh: "core.logallrefupdates"},
		{added: "[core]\n\tlogAllRefUpdates = false", names: "core.logallrefupdates", fresh: "core.logallrefupdates"},
		{added: "[submodule \"s\"]\n\turl = /x\n\tactive = true\n\tupdate = rebase\n[lfs]\n\trepositoryformatversion = 0\n[lfs \"https://example.org/x\"]\n\taccess = basic"},
		{added: "[submodule \"s\"]\n\turl = ext::x\n\tupdate = !x", names: "submodule.s.update submodule.s.url", fresh: "submodule.s.update submodule.s.url"},
		{added: "[gc]\n\tpruneExpire = now\n[pull]\n\ttwohead = x", names: "gc.pruneexpire pull.twohead", fresh: "gc.pruneexpire pull.twohead"},
		{removed: "[remote \"origin\"]\n\turl = ../mine\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"},
		{removed: "[remote \"origin\"]\n\turl = ../mine\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", added: "[remote \"up\"]\n\turl = ../mine"},
		{removed: "\turl = https://example.org/x\n", added: "[remote \"web\"]\n\turl = /tmp/x", names: "remote.web.url"},
		{removed: "\tbare = false\n", names: "core.bare"},
	} {
		if row.dir == "" {
			row.dir = git
		}
		after := strings.Replace(before, row.removed, "", 1) + row.added + "\n"
		for isNew, want := range map[bool]string{false: row.names, true: row.fresh} {
			r := Repository{Dir: row.dir, New: isNew, Roots: []string{top}}
			names, ok := r.Changed(before, after)
			if got := strings.Join(names, " "); got != want || !ok {
				t.Errorf("new: %t, %q: got %q", isNew, row.removed+row.added, got)
			}
			text, names, ok := r.Revert(before, after)
			if left, _ := r.Changed(before, text); !ok || len(left) > 0 || strings.Join(names, " ") != want {
				t.Errorf("new: %t, %q: reverted to %q, %v", isNew, row.removed+row.added, text, names)
			}
			if row.removed != "" && want != "" && !strings.Contains(text, strings.TrimSpace(row.removed)) {
				t.Errorf("%q: reverted to %q", row.removed, text)
			}
		}
	}
}
