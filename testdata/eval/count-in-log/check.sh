tr -d '`*' | grep -q '^ *21 /pay *$'
