// Package advice keeps what an error tells the model to do apart from what the
// user is shown. The model reads the whole text of the error; the user reads the
// cause only. Start reading at Add.
package advice

import (
	"errors"
	"fmt"
	"strings"
)

// advised is an error with advice for the model.
type advised struct {
	error
	text string
}

// Add returns err with advice: sentences that tell the model what to do. They
// follow the text of err, as "CAUSE. ADVICE".
func Add(err error, format string, args ...any) error {
	return &advised{error: err, text: ". " + fmt.Sprintf(format, args...)}
}

func (e *advised) Error() string { return e.error.Error() + e.text }

func (e *advised) Unwrap() error { return e.error }

// Cause returns the text of err without any advice, for the user.
func Cause(err error) string {
	text := err.Error()
	for e, ok := errors.AsType[*advised](err); ok; e, ok = errors.AsType[*advised](e.error) {
		text = strings.Replace(text, e.text, "", 1)
	}
	return text
}
