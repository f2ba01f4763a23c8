package vi

import (
	"math/big"
	"regexp"
	"strings"
)

// addTo implements ctrl+a and ctrl+x: it adds n to, or subtracts n from, the number
// at or after the caret in the line.
func (e *edits) addTo(key string, n int) {
	b := e.b
	from, to := b.numberNear()
	if from == to {
		return
	}
	by := int64(n)
	if key == "ctrl+x" {
		by = -by
	}
	b.Edit(from, to, plus(b.String()[from:to], by))
	b.MoveTo(b.Caret() - 1)
}

// numberNear returns the range of the first number that ends after the caret.
func (b buffer) numberNear() (from, to int) {
	start, end := b.lineStart(b.Caret()), b.lineEnd(b.Caret())
	for _, at := range regexp.MustCompile(`0[xX][0-9a-fA-F]+|-?[0-9]+`).FindAllStringIndex(b.String()[start:end], -1) {
		if start+at[1] > b.Caret() {
			return start + at[0], start + at[1]
		}
	}
	return 0, 0
}

// plus returns number + by in the base of number, and with its width if it has
// leading zeros.
func plus(number string, by int64) string {
	sum, base := new(big.Int), 10
	digits := strings.TrimPrefix(number, "-")
	prefix := ""
	if len(digits) > 2 && strings.EqualFold(digits[:2], "0x") {
		prefix, digits, base = digits[:2], digits[2:], 16
	}
	if _, ok := sum.SetString(digits, base); !ok {
		return number
	}
	if number[0] == '-' {
		sum.Neg(sum)
	}
	sum.Add(sum, big.NewInt(by))
	sign := ""
	if sum.Sign() < 0 {
		sign = "-"
		sum.Neg(sum)
	}
	out := sum.Text(base)
	if base == 16 || digits[0] == '0' {
		out = strings.Repeat("0", max(len(digits)-len(out), 0)) + out
	}
	return sign + prefix + out
}
