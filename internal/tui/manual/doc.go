// Package manual shows the help topics in the full screen, and follows the links between
// them. It holds no text: screen.Manual does. Start reading at Reader.
package manual
