package main

import (
	"agent/internal/tools/shell/keeper"
	"agent/internal/tui/terminal/rescue"
)

// runHelper is where every helper process begins. The program starts itself
// under the name of a helper, with pipes in place of arguments:
//
//   - keeper.Name starts one command of the shell tool and kills what it leaves
//     behind.
//   - rescue.Name restores the terminal after a crash of the program.
//
// In a helper, runHelper does its work and does not return. In the program
// itself, it returns at once. It comes first in main, because a helper reads no
// flags, handles no signals of the program and holds no keys.
func runHelper() {
	keeper.Run()
	rescue.Run()
}
