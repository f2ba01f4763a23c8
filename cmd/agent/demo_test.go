package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestDemoOnTheScreen checks the end of each scene.
func TestDemoOnTheScreen(t *testing.T) {
	t.Parallel()
	a := newHome(t, nil).open(t, 120, 140, "demo")
	a.wait("Scene 4: A runaway loop", "stopped after 6 steps", "? help")
	const done = `\n\n +[0-9.]+ s · [0-9]+ tokens this turn\n\n`
	for scene, end := range map[string]string{
		"1": `The README does not mention -quiet\.` + done + ` +Scene 2: `,
		"2": `3\. test Table \(teas_test\.go\)` + done + ` +Scene 3: `,
		"3": `none of them checks the times\.\n\n +1 file changed, \+1 −1 · [0-9.]+ s · [0-9]+ tokens this turn\n +not checked: 1 file edited, no check ran\n\n +Scene 4: `,
		"4": `I stopped at the step limit\.\n+✗ stopped after 6 steps, the limit of one turn\n`,
	} {
		if !regexp.MustCompile(end).MatchString(a.screen()) {
			t.Errorf("scene %s does not end with %s:\n%s", scene, end, a.screen())
		}
	}
	if strings.Contains(a.screen(), "Raise the limit") {
		t.Errorf("advice that cannot be followed:\n%s", a.screen())
	}
}

// TestPromptInTheDemo interrupts a scene and sends a prompt, which no reply of a scene
// answers.
func TestPromptInTheDemo(t *testing.T) {
	t.Parallel()
	a := newHome(t, nil).open(t, 120, 60, "demo")
	a.wait("so I read that.", "40 lines")
	a.send(escape)
	a.wait("interrupted")
	a.send("hello" + enter)
	a.wait("I am the built-in offline guide")
}
