// Package layer holds the stack of the layers of the screen, which take input. A layer
// is a Layer, and implements those of the small interfaces that it needs: Drawn to show
// lines, Pointed for the mouse, Hinted and Keyed for hints, Animated if it changes with
// time, Receiver for events and the results of its commands, Canceler for ctrl+c, Closer
// for hints about keys that close it, Styled if it keeps styles. Thus a new overlay is one
// file with a type, and one call of Stack.Push.
//
// The interfaces are small because most layers need few of them: the global shortcuts
// draw nothing, and help has no hints. The height that a layer wants is the number of
// lines that View returns: a dialog must lay out its text to know its height, and would
// do so twice for a method Height. Place says which part of the screen a layer is drawn
// in, so that a full-screen list, a search in the line of the prompt and a dialog above
// the prompt are layers of the same kind.
//
// The package draws nothing itself, and knows no layer. Start reading at Layer and Stack.
package layer
