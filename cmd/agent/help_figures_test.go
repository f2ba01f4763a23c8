//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// safetyTests are the tests whose figures the help topic reliability shows, in its order.
var safetyTests = []string{
	"TestLinesHaveTheirVerdict", "TestAttacks", "TestQuestionsOfADay", "TestHabitsOfModels", "TestProtectedPaths", "TestProtectedPathsInASession", "TestProtectedLinksInASession", "TestLinkSwapsWhileWriting", "TestNamedEscapes", "TestUnixSocketsOfOthersAreRefused",
	"TestHostileRepositories", "TestModelOutputConnectsNowhere", "TestSpellingsOfPrivateAddresses", "TestNoListeningSocket", "TestEscapeSequences", "TestSplitEscapeSequences", "TestEveryHiddenCharacterIsEscaped",
	"TestKeysStayInTheProgram", "TestFalsePositives", "TestRandomHistories", "TestAnUndoThatIsKilledIsFinished",
}

// TestReliabilityTable checks that the help topic reliability has figures of all tests
// of safety. If PROMISES names the log of make promises and UPDATE is set, it writes
// them.
func TestReliabilityTable(t *testing.T) {
	b, err := os.ReadFile(topicFile("reliability"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if log := os.Getenv("PROMISES"); log != "" && os.Getenv("UPDATE") != "" {
		rows, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		text, err = withBlock(text, "figures", figureTable(string(rows)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(topicFile("reliability"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range attacks() {
		if !strings.Contains(text, "| attack: "+cell(a.name)+" |") {
			t.Errorf("the row of the attack %s is missing: run UPDATE=1 make promises", a.name)
		}
	}
	for _, want := range []string{"questions asked in a scripted day", "escape from the sandbox: io_uring", "720 cases", "swaps of a directory and a link", "commands of the test table", "places searched", "random histories", "undo killed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the row with %q is missing: run UPDATE=1 make promises", want)
		}
	}
}

// promise matches a figure in the output of go test -v.
var promise = regexp.MustCompile(`(?m)^=== ATTR +(Test[^/ ]+)\S* promise (.*)$`)

// figureTable returns a table of the figures of safetyTests in a log.
func figureTable(log string) string {
	found := promise.FindAllStringSubmatch(log, -1)
	attack := func(row []string) int { // the attacks run at the same time
		return slices.IndexFunc(attacks(), func(a attack) bool { return strings.HasPrefix(row[2], "attack: "+a.name+": ") })
	}
	slices.SortStableFunc(found, func(a, b []string) int {
		return cmp.Or(slices.Index(safetyTests, a[1])-slices.Index(safetyTests, b[1]), attack(a)-attack(b))
	})
	var b strings.Builder
	b.WriteString("| tested | figure |\n|---|---|\n")
	for _, m := range found {
		if i := strings.LastIndex(m[2], ": "); i > 0 && slices.Contains(safetyTests, m[1]) {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(m[2][:i]), m[2][i+2:])
		}
	}
	return b.String()
}
