package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// safetyCases maps what happened to other programs, and odd input that must do no harm,
// to the tests that try it here. A test is a directory of the module and a function, for
// one case also the name of a subtest.
var safetyCases = []struct {
	section string
	cases   map[string]string // from a case to its tests, separated by semicolons
}{
	{"Approval of commands is bypassed", map[string]string{
		"CVE-2025-54795 echo":                              "cmd/agent TestAttacks/CVE-2025-54795 echo",
		"CVE-2025-58764 rg":                                "cmd/agent TestAttacks/CVE-2025-58764 rg",
		"CVE-2025-66032 $IFS and short flags":              "cmd/agent TestAttacks/CVE-2025-66032 $IFS and short flags",
		"CVE-2025-64755 sed write":                         "cmd/agent TestAttacks/CVE-2025-64755 sed write",
		"CVE-2026-25723 echo piped to sed":                 "cmd/agent TestAttacks/CVE-2026-25723 echo piped to sed",
		"CVE-2026-24887 find":                              "cmd/agent TestAttacks/CVE-2026-24887 find",
		"CVE-2026-25722 cd, then a write":                  "cmd/agent TestAttacks/CVE-2026-25722 cd, then a write",
		"CVE-2026-24053 zsh clobber":                       "cmd/agent TestAttacks/CVE-2026-24053 zsh clobber",
		"CVE-2025-55284 reading a secret and sending it":   "cmd/agent TestAttacks/CVE-2025-55284 reading a secret and sending it",
		"CVE-2026-22708 built-ins of the shell":            "cmd/agent TestAttacks/CVE-2026-22708 built-ins of the shell",
		"chained commands and redirections":                "cmd/agent TestAttacks/chained commands and redirections",
		"gemini-cli 25935 echo $[ ... ]":                   "cmd/agent TestAttacks/gemini-cli 25935 echo $[ ... ]",
		"more than 50 subcommands":                         "cmd/agent TestAttacks/more than 50 subcommands; internal/loop/policy/command TestUnreadableTextNeedsApproval",
		"claude-code 43085 bash -c":                        "cmd/agent TestAttacks/claude-code 43085 bash -c",
		"git configuration that names programs":            "cmd/agent TestAttacks/git configuration that names programs; internal/tools/git TestHostileRepositoriesRunNothing; internal/tools/git TestHostileSubmodulesRunNothing",
		"GHSA-j4h9-wv2m-wrf7 user.email in a shell":        "cmd/agent TestAttacks/GHSA-j4h9-wv2m-wrf7 user.email in a shell",
		"deny lists that can be bypassed":                  "cmd/agent TestAttacks/deny lists that can be bypassed",
		"the attacks have an effect without the program":   "cmd/agent TestAttacksWork",
		"table of commands and options":                    "internal/loop/policy/command TestLinesHaveTheirVerdict; internal/loop/policy/command TestShellCases; internal/loop/policy/command TestTablesAreWellFormed",
		"automatic commands change nothing":                "internal/loop/policy/command TestAutomaticLinesChangeNothing",
		"bash runs exactly the words that were checked":    "internal/loop/policy/command TestScriptQuotesEveryWord; internal/loop/policy/command FuzzScript; internal/loop/policy/command TestGlobMatchesAsBashDoes",
		"the environment is scrubbed":                      "internal/loop/policy/command TestEnvironmentKeepsOnlySafeVariables; internal/loop/policy TestAutomaticCommands",
		"a standing permission is narrow":                  "internal/loop/policy TestPrefixPermissions; internal/loop TestGrantsAreLimitedToTheirScope; internal/loop/policy TestPermissionEndsWithItsFiles",
		"the attacker reaches for the sandbox":             "internal/tools/shell TestNamedEscapes; internal/tools/shell TestEscapesFromTheSandbox; internal/tools/shell TestSandboxRefusesSystemCalls",
		"the sandbox needs no privileges and fails closed": "internal/tools/shell TestSandboxOfAnotherUser; internal/tools/shell TestSandboxWithoutNamespaces",
		"code in the caches of the user's builds":          "internal/tools TestUnapprovedCommandsChangeOwnCaches; internal/tools TestCachesWithoutSpace; internal/tools/shell TestCommandsChangeACopy",
	}},
	{"Paths leave the workspace", map[string]string{
		"CVE-2025-54794 a sibling with the same prefix":          "internal/tools TestLinksOutOfTheWorkspaceAreRejected",
		"CVE-2025-59532 the model's directory moves the sandbox": "cmd/agent TestLinksOfCommandsAreNotFollowed; internal/tools TestShellKeepsTheDirectory; internal/tools TestCommandRunsWhereItWasApproved",
		"CVE-2025-55345 symbolic links of the workspace":         "internal/tools TestLinksOutOfTheWorkspaceAreRejected; internal/tools/shell TestEscapesFromTheSandbox/symbolic link",
		"CVE-2025-59829 and CVE-2026-25724 a rule and a link":    "internal/loop/policy TestDeniedFilesBehindLinks; internal/loop/policy TestProtectedBehindLinks; cmd/agent TestProtectedLinksInASession",
		"CVE-2026-39861 a command links, a tool writes":          "cmd/agent TestLinksOfCommandsAreNotFollowed",
		"CVE-2026-25725 a protected file that does not exist":    "cmd/agent TestProtectedPathsInASession; internal/loop/policy TestProtectedPaths",
		"CVE-2025-59944 names in another case":                   "internal/loop/policy TestProtectedPaths; internal/loop/policy TestProtectedByIdentity; internal/tools TestOneFileHasOneName",
		"CVE-2026-46406 a fixed name in /tmp":                    "internal TestNoFileHasAFixedTemporaryName",
		"the target is exchanged between check and write":        "internal/tools TestLinkSwapsWhileWriting; internal/tools TestDirectoryReplacedByALinkIsNotWritten; internal/tools/shell TestEscapesFromTheSandbox/link swap",
		"T1 spellings of paths":                                  "internal/tools TestLinksOutOfTheWorkspaceAreRejected; internal/tools TestOddNamesOfFiles",
		"T2 links: chains, loops, dangling":                      "internal/tools TestLinksOutOfTheWorkspaceAreRejected; internal/tools TestLinksInsideAreFollowed; internal/tools/search TestWalksDoNotFollowLinks",
		"T3 a sibling of the workspace":                          "internal/tools TestLinksOutOfTheWorkspaceAreRejected",
		"T4 hard links":                                          "internal/tools TestHardLinkWarning; internal/tools TestOtherNamesInTheWorkspaceGetTheNewContent; internal/tools TestWritesInPlaceAreAllOrNone",
		"T5 swaps while writing":                                 "internal/tools TestLinkSwapsWhileWriting",
		"T6 .git in any spelling":                                "internal/loop/policy TestProtectedPaths; internal/tools TestGitDirectoryIsNotWritten",
		"T7 the target changes before the approval":              "internal/tools TestChangedWhileApproving; internal/tools TestDirectoryReplacedByALinkIsNotWritten; internal/tools TestOnlyApprovedChangesAreWritten",
		"T8 a protected file that does not exist":                "cmd/agent TestProtectedPathsInASession",
	}},
	{"A repository runs programs or redirects requests", map[string]string{
		"CVE-2025-59536 programs start before the first prompt":      "cmd/agent TestHostileRepositories; internal/loop/instructions TestHostileAgents",
		"CVE-2026-21852 the repository sets the base URL":            "cmd/agent TestHostileRepositories; cmd/agent TestNewSessionGoesToAnotherHost",
		"CVE-2026-33068 the repository sets the permission mode":     "cmd/agent TestHostileRepositories",
		"CVE-2026-40068 commondir names another repository":          "cmd/agent TestHostileRepositories",
		"CVE-2025-61260 .env moves the configuration":                "cmd/agent TestHostileRepositories",
		"CVE-2025-54136 something approved is exchanged":             "cmd/agent TestConfirmationOfAnAgent; cmd/agent TestApprovalsOfEarlierVersions",
		"CVE-2025-53773 the model turns approval off":                "cmd/agent TestProtectedPathsInASession; internal/loop/policy TestProtectedPaths",
		"CVE-2025-59828 and 65099 yarn plugins":                      "cmd/agent TestHostileRepositories",
		"GHSA-wpqr-6v78-jr5g a run without a user trusts everything": "cmd/agent TestHostileRepositories; internal/loop TestProtectedPathHeadless",
		"trust by path instead of content":                           "cmd/agent TestConfirmationOfAnAgent",
	}},
	{"Text of others sends data out", map[string]string{
		"images and links": "cmd/agent TestModelOutputConnectsNowhere",
		"OSC 8 links":      "cmd/agent TestModelOutputConnectsNowhere; cmd/agent TestEscapeSequences",
		"CVE-2026-24052 a host with the same prefix":  "internal/loop/policy TestHostRulesAllowNoLookalikes",
		"CVE-2025-55284 names asked of a name server": "internal/tools/shell TestNamedEscapes/send UDP to the host; internal/tools/shell TestSandboxSharesNetwork",
		"ping and its kind are automatic":             "cmd/agent TestAttacks/CVE-2025-55284 reading a secret and sending it",
		"CVE-2025-66479 an empty list allows all":     "internal/loop/policy TestHostRulesAllowNoLookalikes",
		"a NUL in a host name":                        "internal/loop/policy TestHostRulesAllowNoLookalikes; internal/tools/fetch TestParse",
		"spellings of private addresses":              "internal/tools/fetch TestSpellingsOfPrivateAddresses; internal/tools/fetch TestPublic; internal/tools/fetch TestPrivateAddressesAreNotReached",
		"redirects":                                   "internal/tools/fetch TestRedirects",
		"a name that resolves to another address":     "internal/tools/fetch TestEveryConnectionIsChecked",
		"requests carry private data":                 "internal/tools/fetch TestRequestsCarryNoPrivateData",
	}},
	{"Text controls the terminal", map[string]string{
		"sequences at every entry":              "cmd/agent TestEscapeSequences; cmd/agent TestToolSanitizesOutput",
		"sequences over two chunks":             "cmd/agent TestSplitEscapeSequences",
		"hidden characters":                     "internal/tui/ink TestEveryHiddenCharacterIsEscaped; internal/tui/ink TestCellsAreLimited; internal/tui/ink FuzzSanitize",
		"a question hides its command":          "internal/tui TestNothingHidesInACommand; internal/tui TestNothingHidesInAPath; internal/tui TestLongCommandMustBeReadToTheEnd; internal/tui/ink TestMisleads",
		"a paste answers or sends":              "internal/tui TestPasteNeverSends; internal/tui TestPasteIntoADialog; internal/tui/terminal TestPasteIsExtracted",
		"replies of the terminal as input":      "internal/tui/terminal TestIncompleteSequences; internal/tui/terminal TestLateSequence",
		"exports and output without a terminal": "internal/loop/export TestHTMLEscapesContent; internal/loop/export TestMarkdownEscapesContent; cmd/agent TestPipedOutputHasNoEscapes",
	}},
	{"Secrets and modes of files", map[string]string{
		"other users can read the data":         "internal/history TestFilesArePrivateForEveryUmask; cmd/agent TestDataIsPrivate",
		"the directory belongs to another user": "internal/history TestSharedDirectoryIsRejected",
		"the key leaks":                         "cmd/agent TestKeysStayInTheProgram; internal/llm TestKeyIsNeverPrinted",
		"commands get keys":                     "internal/tools/shell TestEnvironmentHasNoSecrets; cmd/agent TestChildEnvHasNoAPIKeys",
		"secrets in the conversation":           "internal/loop TestSecretsStayOnThisMachine; internal/llm/mask TestShapes; internal/llm/mask TestRoundTrip",
	}},
	{"Local servers", map[string]string{
		"CVE-2026-22812, CVE-2026-22813 and CVE-2025-52882 a server without authorization": "cmd/agent TestNoListeningSocket",
	}},
	{"Hostile or odd files", map[string]string{
		"FIFO, device, socket, directory":  "internal/tools TestSpecialFilesAreNamedNotOpened; internal/tools TestDevicesAreNamedNotOpened; internal/tools/search TestSpecialFilesInPlaceOfGitFiles; internal/loop/instructions TestSpecialFiles",
		"files of the kernel":              "internal/tools TestFilesOfTheKernel",
		"5 GB, 20 MB in a line, sparse":    "internal/tools TestHugeFilesAreNotLoaded; internal/tools TestALineOf20MB; internal/tools TestWideTextIsNotLoaded",
		"compressed files":                 "internal/tools TestCompressedFilesStayCompressed; internal/tools TestHostilePicturesAreRejected; internal/tools/fetch TestSizeLimit",
		"output of 1 GB":                   "internal/tools/shell TestEndlessOutputCostsNoMemory; internal/tools/shell TestFullDiskEndsOnlyTheFile",
		"binary, NUL, UTF-16, Latin-1":     "internal/tools TestReadUnusualFiles; internal/tools TestEditKeepsEveryOtherByte",
		"CRLF, BOM, no final newline":      "internal/tools TestEditKeepsEveryOtherByte; internal/tools/edit TestReplaceAllWithOtherLineEndings",
		"mode, setuid, attributes, owner":  "internal/tools TestModes; internal/tools TestAttributesAreKept; internal/tools TestOwnersAreKept; internal/tools TestHardLinkWarning",
		"read-only, full and broken disks": "internal/tools TestReadOnlyIsRespected; internal/tools TestAFullDisk; internal/tools TestFailedCommitRestoresFiles; internal/history TestFileFailuresAtEveryCall",
		"changed since it was read":        "internal/tools TestChangedFilesAreNotOverwritten; internal/loop TestStaleEdits",
		"two edits of a file in one turn":  "internal/loop TestWritesArePreparedAfterThoseBefore; internal/tools/workspace TestChangesAtOnceAreNotLost",
		"loops, deep trees, many entries":  "internal/tools/search TestDirectoriesBeyondTheDepth; internal/tools/search TestDirectoriesOfManyEntries; internal/tools TestNewlinesInNamesAreEscaped",
		"names that the system folds":      "internal/loop/policy TestProtectedByIdentity; internal/tools TestOneFileHasOneName",
	}},
}

// TestEverySafetyCaseHasATest checks that each case has at least one test, which exists.
func TestEverySafetyCaseHasATest(t *testing.T) {
	known := map[string]map[string]bool{} // directory → functions and strings
	cases := 0
	for _, section := range safetyCases {
		for name, tests := range section.cases {
			cases++
			for _, ref := range strings.Split(tests, "; ") {
				dir, test, ok := strings.Cut(ref, " ")
				if !ok {
					t.Errorf("%s: %s: %q is not a directory and a test", section.section, name, ref)
					continue
				}
				if known[dir] == nil {
					known[dir] = declared(t, dir)
				}
				function, subtest, one := strings.Cut(test, "/")
				if !known[dir]["func "+function] || one && !known[dir][subtest] {
					t.Errorf("%s: %s: there is no test %s in %s", section.section, name, test, dir)
				}
			}
		}
	}
	if cases < 75 {
		t.Errorf("only %d cases", cases)
	}
}

// declared returns the tests of a directory, as "func NAME", and the strings in them.
func declared(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", dir, err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				found["func "+n.Name.Name] = n.Recv == nil
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					found[text] = true
				}
			}
			return true
		})
	}
	return found
}

// TestNoFileHasAFixedTemporaryName finds no call of os.TempDir in a function that writes,
// and no name below /tmp: temporary files have random names. Another user could
// otherwise plant a link in their place.
func TestNoFileHasAFixedTemporaryName(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../*/*/*.go", "*/*.go", "*/*/*.go", "*/*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "sandbox/user_paths.go") { // it hides files of other programs
			continue
		}
		checked++
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if joins(n) {
					t.Errorf("%s joins the temporary directory and a fixed name", file)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && strings.HasPrefix(text, "/tmp/") && len(text) > len("/tmp/") {
					t.Errorf("%s names %s", file, text)
				}
			}
			return true
		})
	}
	if checked < 300 {
		t.Errorf("only %d files were checked", checked)
	}
}

// joins reports whether a call joins the result of os.TempDir and a string.
func joins(call *ast.CallExpr) bool {
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Join" {
		return false
	}
	temporary, fixed := false, false
	for _, arg := range call.Args {
		switch arg := arg.(type) {
		case *ast.CallExpr:
			f, ok := arg.Fun.(*ast.SelectorExpr)
			temporary = temporary || ok && f.Sel.Name == "TempDir"
		case *ast.BasicLit:
			fixed = true
		}
	}
	return temporary && fixed
}
