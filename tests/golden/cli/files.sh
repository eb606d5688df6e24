# Files have an end: a pipe or a device is refused where data is read, and nobody waits for a writer. A script may come from a pipe.
mkfifo p.csv
echo 'load("p.csv")' | credence --timeout 5 - ; echo "status $?"
echo 'load("/dev/zero")' | credence --timeout 5 - ; echo "status $?"
credence <(echo '1 + 1'); echo "status $?"

# With --root: a new file in the folder itself may be written; links out of it are not followed, by whatever reads.
mkdir -p inside/texts/neg outside/pos
echo 'secret' >outside/pos/a.txt
echo 'nothing' >inside/texts/neg/n.txt
ln -s "$PWD/outside/pos" inside/texts/pos
cd inside
echo 'save(to_table([{a: 1}]), "new.csv")' | credence --root "$PWD" - ; echo "status $?"
cat new.csv
echo 'train_text("texts").vocabulary' | credence --root "$PWD" - 2>&1 | sed "s|$PWD|FOLDER|g"
echo '1' >a.cred
credence report a.cred -o ../page.html --root "$PWD"; echo "status $?"
