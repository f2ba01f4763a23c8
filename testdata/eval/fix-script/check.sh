echo one > 'my notes.txt'
echo two > plain.txt
sh backup.sh 'my notes.txt' plain.txt && diff 'my notes.txt' 'backup/my notes.txt' && diff plain.txt backup/plain.txt
