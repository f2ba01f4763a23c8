package slash

import "testing"

func TestExpandArgs(t *testing.T) {
	for _, c := range []struct{ text, arg, want string }{
		{"fix $ARGUMENTS now", "a b", "fix a b now"},
		{"fix $ARGUMENTS now", "", "fix  now"},
		{"$1 then $2, $3.", `"one two" three`, "one two then three, ."},
		{"$2$1", "a b c", "ba"},
		{"no place\n", "a b", "no place\n\na b"},
		{"no place\n", "", "no place\n"},
		{"it costs $ 5 or $x, $", "a", "it costs $ 5 or $x, $\n\na"},
		{"$1", "$ARGUMENTS $1", "$ARGUMENTS"}, // placeholders in the argument stay
		{"$ARGUMENTS $1", "it's $2", "it's $2 it's"},
		{"$10", "a", "a0"},
		{"$1", `'open quote`, "open quote"},
	} {
		if got := expandArgs(c.text, c.arg, true); got != c.want {
			t.Errorf("%q with %q: got %q, want %q", c.text, c.arg, got, c.want)
		}
	}
	if got := expandArgs("awk '{print $1}' $ARGUMENTS", "a.txt", false); got != "awk '{print $1}' a.txt" {
		t.Errorf("got %q, want $1 unchanged in a skill", got)
	}
}
