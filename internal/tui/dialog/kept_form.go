package dialog

import (
	"reflect"
	"regexp"

	"agent/internal/elicit"
)

// keptForm is what the user entered into a form that closed before it was sent.
type keptForm struct {
	form   elicit.Form
	values map[string]any // by the name of a field; typed values are strings
}

// secretField matches texts of a field that may ask for a secret.
var secretField = regexp.MustCompile(`(?i)pass|secret|token|key|credential|\bpin\b|\bcvv\b|card`)

// KeepForm keeps what the user entered into the form that is shown, for a form that closes
// before it is sent. If the same server shows the same form again, these values are filled
// in. Values of fields that may be secrets are not kept. It reports whether it kept any.
func (d *Dialog) KeepForm() bool {
	if d.question.fields == nil {
		return false
	}
	kept := keptForm{form: *d.question.ask.Form, values: map[string]any{}}
	for _, e := range d.question.fields.all {
		if e.changed() && !secretField.MatchString(e.Name+"\n"+e.Title+"\n"+e.Description) {
			kept.values[e.Name] = e.value
			if e.typed() {
				kept.values[e.Name] = e.edit.Text()
			}
		}
	}
	if len(kept.values) == 0 {
		return false
	}
	d.kept = kept
	return true
}

// changed reports whether the user has changed the value of a field.
func (e *entry) changed() bool {
	if e.typed() {
		return e.edit != nil && e.edit.Text() != e.Show(e.Default)
	}
	return !reflect.DeepEqual(e.value, e.Default)
}

// restore fills in the kept values if they are of the same form, and then forgets them.
func (k *keptForm) restore(form elicit.Form, f *fields) {
	if form.Server != k.form.Server || form.Tool != k.form.Tool || !reflect.DeepEqual(form.Fields, k.form.Fields) {
		return
	}
	for i := range f.all {
		e := &f.all[i]
		value, ok := k.values[e.Name]
		switch {
		case !ok:
		case e.typed():
			e.edit = f.make()
			e.edit.Restore(value.(string))
		default:
			e.value = value
		}
	}
	*k = keptForm{}
	f.mark(f.at)
}
