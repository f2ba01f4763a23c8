package connections

import (
	"errors"
	"reflect"
	"testing"

	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/tools/mcp"
)

// Sessions share connections as long as the configuration is the same. A server is checked
// with the trust of the session that uses it.
func TestSessionsShareConnections(t *testing.T) {
	k := &Kept{}
	defer k.Close()
	session := func(dir, variable, sum string, check error) *mcp.Connections {
		all := []servers.Configured{{Server: mcp.Server{Name: "shop", Command: []string{"no-such-program"}, Env: []string{"A=" + variable}}, Sum: sum}}
		all[0].Check = func() error { return check }
		return k.connect(mcp.Options{Servers: []mcp.Server{all[0].Server}}, newConfiguration(dir, settings.Settings{}, all))
	}
	first := session("/a", "1", "", nil)
	if session("/a", "1", "", errors.New("not confirmed any more")) != first {
		t.Error("the connections are not kept")
	}
	if err := first.Reconnect(t.Context(), "shop"); err == nil || err.Error() != "MCP server shop, failed: not confirmed any more" {
		t.Errorf("the check of the first session is used: %v", err)
	}
	seen := map[*mcp.Connections]bool{first: true}
	for _, other := range []*mcp.Connections{session("/b", "1", "", nil), session("/b", "2", "", nil), session("/b", "2", "changed", nil)} {
		if seen[other] {
			t.Error("another configuration uses the same connections")
		}
		seen[other] = true
	}
}

// A field that is added to one of the compared types is compared too, or this test fails.
func TestEveryFieldOfAConfigurationIsCompared(t *testing.T) {
	all := []servers.Configured{filled[servers.Configured](t)}
	all[0].Locate, all[0].OAuth, all[0].Check = func() (string, mcp.Authorize, error) { return "", nil, nil }, (*servers.Logins)(nil).Handler("", ""), func() error { return nil }
	set := filled[settings.Settings](t)
	made := func() configuration { return newConfiguration("/a", set, all) }
	if !reflect.DeepEqual(made(), made()) || !reflect.DeepEqual(made(), newConfiguration("/a", filled[settings.Settings](t), all)) {
		t.Error("the same configuration twice is not equal")
	}
	c := filled[configuration](t)
	if !reflect.DeepEqual(c, filled[configuration](t)) {
		t.Error("equal configurations are not equal")
	}
	fields := 0
	change(reflect.ValueOf(&c).Elem(), "configuration", func(field string) {
		fields++
		if reflect.DeepEqual(c, filled[configuration](t)) {
			t.Errorf("a change of %s makes no difference", field)
		}
	})
	if fields < 40 {
		t.Errorf("only %d fields were changed", fields)
	}
	v := reflect.ValueOf(made())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("newConfiguration does not set %s", v.Type().Field(i).Name)
		}
	}
}

// filled returns a value in which everything is set except functions and interfaces.
func filled[T any](t *testing.T) (out T) {
	fill(t, reflect.ValueOf(&out).Elem())
	return out
}

func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				t.Fatalf("%s has a field that cannot be set: %s", v.Type(), v.Type().Field(i).Name)
			}
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Func, reflect.Interface:
	default:
		t.Fatalf("cannot fill a %s", v.Type())
	}
}

// change empties each part of v in turn, calls check with its name, and restores it.
func change(v reflect.Value, name string, check func(field string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	if !v.IsZero() {
		v.SetZero()
		check(name)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			change(v.Field(i), name+"."+v.Type().Field(i).Name, check)
		}
	case reflect.Slice:
		change(v.Index(0), name+"[0]", check)
	case reflect.Pointer:
		change(v.Elem(), name, check)
	case reflect.Map:
		key := v.MapKeys()[0]
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		change(value, name+"["+key.String()+"]", func(field string) {
			v.SetMapIndex(key, value)
			check(field)
		})
		v.SetMapIndex(key, value)
	}
}
