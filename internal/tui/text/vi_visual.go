package text

// runVisual carries out a command of the visual modes that is no motion.
func (v *Vi) runVisual(key string) {
	b := v.b
	from, to, _ := v.Selection()
	lines := v.mode == VisualLines
	v.keys = nil // . does not know what was marked
	switch key {
	case "d", "x", "X", "D":
		v.cut("d", from, to, lines || key == "X" || key == "D")
	case "c", "s", "S", "C", "R":
		v.cut("c", from, to, lines || key == "S" || key == "C" || key == "R")
	case "y", "Y":
		v.cut("y", from, to, lines || key == "Y")
	case "~":
		v.mode = Normal
		v.swapCase(from, to)
		b.MoveTo(from)
	case "J":
		n := 0
		for at := b.lineEnd(from); at < to; at = b.lineEnd(at + 1) {
			n++
		}
		v.mode = Normal
		b.MoveTo(from)
		v.joinLines(max(n, 1))
	case "p", "P":
		v.putOver(from, to, lines)
	case "o":
		at := v.anchor
		v.anchor = b.caret
		b.MoveTo(at)
		v.reset()
	case "v", "V":
		mode := map[string]Mode{"v": Visual, "V": VisualLines}[key]
		if v.mode == mode {
			mode = Normal
		}
		v.mode = mode
		v.reset()
		v.hold()
	default:
		v.reset()
	}
}

// putOver puts what was cut in the place of what is marked, which is what was
// cut last from here on.
func (v *Vi) putOver(from, to int, lines bool) {
	b, k := v.b, v.b.kills.top()
	b.Join()
	v.mode = Normal
	b.kills.push(b.text[from:to], false)
	text := k.text
	switch {
	case k.lines && lines:
		text = text[:len(text)-1]
	case k.lines:
		text = "\n" + text
	}
	b.MoveTo(from)
	b.edit(changed, from, to, text)
	if b.caret > from {
		b.MoveTo(previous(b.text, b.caret))
	}
	b.Seal()
	v.done(true)
}
